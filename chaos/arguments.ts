import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { ALL_FAULTS, MODEL_FAULTS, type FaultKind } from "./nemesis/faults.js";
import {
  DRIFT_FACTOR,
  type CampaignSettings,
  type Plant,
  type Profile,
  type ScheduleName,
} from "./settings.js";

export const RESULTS_DIR = "chaos-results";

export const USAGE = `usage: npm run chaos -- [options]
  --seed n             which faults, and when (default: from the clock; it is printed)
  --minutes m          how long (default 1; fractions are fine)
  --clients n          client processes (default 8)
  --nodes n            servers (default 5)
  --names n            names that they contend for (default 3)
  --faults a,b         these faults only: ${ALL_FAULTS.join(", ")}
  --profile p          model (default) or outside: faults that no lock can stand
  --schedule s         random (default), fast-clocks or relays
  --plant bug          no-drift or no-quarantine: with its schedule, and sure to be found
  --again file         judges a history once more and makes its report, without a campaign
  --report file        default ${RESULTS_DIR}/<seed>.html; the history stands beside it
exit codes: 0 all is well, 1 a safety promise is broken, 2 a liveness promise, 3 the harness failed`;

export interface Arguments {
  readonly settings: CampaignSettings;
  /** A history that is there already. */
  readonly again: string | undefined;
  readonly report: string;
}

/** What each planted bug is found by. */
const SCHEDULE_OF: Readonly<Record<Plant, ScheduleName>> = {
  "no-drift": "fast-clocks",
  "no-quarantine": "relays",
};

/** @throws RangeError or TypeError for what is not understood. */
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
    },
  });
  const seed = whole("seed", values.seed ?? String(Date.now() % 1_000_000), 0, 2 ** 32 - 1);
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 24 * 60)) throw new RangeError("--minutes must be above 0");
  const profile = oneOf("profile", values.profile, ["model", "outside"] as const);
  const plant =
    values.plant === undefined
      ? undefined
      : oneOf("plant", values.plant, ["no-drift", "no-quarantine"] as const);
  const schedule = oneOf(
    "schedule",
    values.schedule ?? (plant === undefined ? "random" : SCHEDULE_OF[plant]),
    ["random", "fast-clocks", "relays"] as const,
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
  return { settings, again, report: values.report ?? join(RESULTS_DIR, `${name}.html`) };
}

/** Short leases: much happens in little time. Drift shows in a longer one. */
export function leaseOf(schedule: ScheduleName) {
  const ttlMs = schedule === "fast-clocks" ? 4_000 : 1_500;
  return { ttlMs, maxTtlMs: Math.max(2_000, ttlMs), nodeTimeoutMs: 200 };
}

function faultsOf(given: string | undefined, profile: Profile): FaultKind[] {
  const inProfile = profile === "model" ? MODEL_FAULTS : ALL_FAULTS;
  if (given === undefined) return [...inProfile];
  return given.split(",").map((kind) => oneOf("faults", kind.trim(), inProfile));
}

function whole(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RangeError(`--${option} must be a whole number from ${min} to ${max}, not ${text}`);
}

function oneOf<T extends string>(option: string, text: string, known: readonly T[]): T {
  const found = known.find((value) => value === text);
  if (found !== undefined) return found;
  throw new RangeError(`--${option}: no "${text}"; there are ${known.join(", ")}`);
}
