import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { ALL_FAULTS, MODEL_FAULTS, type FaultKind } from "./nemesis/faults.js";
import { PLANTS } from "./plants/table.js";
import {
  DRIFT_FACTOR,
  SCHEDULES,
  type CampaignSettings,
  type Plant,
  type Profile,
  type ScheduleName,
} from "./settings.js";

export const RESULTS_DIR = "chaos-results";

export const USAGE = `usage: npm run chaos -- [options]
  --seed n             which faults, and when (default: from the clock; it is printed);
                       several, as 1,2,3: one campaign after the other, and a table of them
  --minutes m          how long (default 1; fractions are fine)
  --clients n          client processes (default 8)
  --nodes n            servers (default 5)
  --names n            names that they contend for (default 3)
  --faults a,b         these faults only: ${ALL_FAULTS.join(", ")}
  --profile p          model (default) or outside: faults that no lock can stand
  --schedule s         random (default), ${SCHEDULES.slice(1).join(", ")}
  --plant bug          with its schedule, and sure to be found: ${Object.keys(PLANTS).join(", ")}
  --again file         judges a history once more and makes its report, without a campaign
  --publish            the results are those of docs/internals/faults.md and of the site
  --report file        default ${RESULTS_DIR}/<seed>.html; the history stands beside it
exit codes: 0 all is well, 1 a promise is broken, 2 only promises of liveness are,
  3 these arguments make no sense or the harness failed, 130 interrupted and well as far as it came`;

/** One campaign, and the path of its report page. */
export interface Order {
  readonly settings: CampaignSettings;
  readonly report: string;
}

export interface Arguments {
  /** One per seed. */
  readonly orders: readonly [Order, ...Order[]];
  /** An existing history to judge again. */
  readonly again: string | undefined;
  /** Whether the results replace the published ones. */
  readonly isPublished: boolean;
}

const PLANT_NAMES = Object.keys(PLANTS) as Plant[];

/** @throws RangeError or TypeError for invalid arguments. */
export function parseArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      minutes: { type: "string", default: "1" },
      clients: { type: "string", default: "8" },
      nodes: { type: "string", default: "5" },
      names: { type: "string", default: "3" },
      faults: { type: "string" },
      profile: { type: "string", default: "model" },
      schedule: { type: "string" },
      plant: { type: "string" },
      again: { type: "string" },
      report: { type: "string" },
      publish: { type: "boolean", default: false },
    },
  });
  const [seed = 0, ...seeds] = (values.seed ?? String(Date.now() % 1_000_000))
    .split(",")
    .map((text) => whole("seed", text, 0, 2 ** 32 - 1));
  if (seeds.length > 0 && (values.report !== undefined || values.again !== undefined)) {
    throw new RangeError("--report and --again are for one campaign, not for several seeds");
  }
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 24 * 60)) throw new RangeError("--minutes must be above 0");
  const profile = oneOf("profile", values.profile, ["model", "outside"] as const);
  const plant = values.plant === undefined ? undefined : oneOf("plant", values.plant, PLANT_NAMES);
  const schedule = oneOf(
    "schedule",
    values.schedule ?? (plant === undefined ? "random" : PLANTS[plant].schedule),
    SCHEDULES,
  );
  const settings: CampaignSettings = {
    seed,
    durationMs: Math.round(minutes * 60_000),
    clientCount: whole("clients", values.clients, 1, 64),
    nodeCount: whole("nodes", values.nodes, 1, 15),
    nameCount: whole("names", values.names, 1, 100),
    profile,
    schedule,
    plant,
    faults: faultsOf(values.faults, profile),
    ...leaseOf(schedule),
    driftFactor: DRIFT_FACTOR,
  };
  const { again } = values;
  const name = again === undefined ? String(seed) : basename(again, ".ndjson");
  const pageOf = (title: string | number): string => join(RESULTS_DIR, `${title}.html`);
  const first = { settings, report: values.report ?? pageOf(name) };
  const others = seeds.map((next) => {
    return { settings: { ...settings, seed: next }, report: pageOf(next) };
  });
  return { orders: [first, ...others], again, isPublished: values.publish };
}

/** Short, so that much happens in little time. Longer where drift or unreleased keys must have time to show. */
const TTL_MS: Readonly<Record<ScheduleName, number>> = {
  random: 1_500,
  "fast-clocks": 20_000,
  "clock-steps": 1_500,
  relays: 1_500,
  "slow-replies": 1_500,
  outages: 30_000,
};

export function leaseOf(schedule: ScheduleName) {
  const ttlMs = TTL_MS[schedule];
  // A key that outlives its lock by seconds would hide a missing drift allowance, or a validity that is too long.
  const clockStepMs = schedule === "random" || schedule === "clock-steps" ? 2 * ttlMs : 0;
  return { ttlMs, maxTtlMs: Math.max(2_000, ttlMs), nodeTimeoutMs: 200, clockStepMs };
}

function faultsOf(given: string | undefined, profile: Profile): FaultKind[] {
  const inProfile = profile === "model" ? MODEL_FAULTS : ALL_FAULTS;
  if (given === undefined) return [...inProfile];
  return given.split(",").map((kind) => oneOf("faults", kind.trim(), inProfile));
}

function whole(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RangeError(`--${option} must be an integer from ${min} to ${max}, not ${text}`);
}

function oneOf<T extends string>(option: string, text: string, known: readonly T[]): T {
  const found = known.find((value) => value === text);
  if (found !== undefined) return found;
  throw new RangeError(`--${option}: no "${text}"; there are ${known.join(", ")}`);
}
