import type { Fault, LockSettings, Scenario, Session } from "../../../sim/scenario.js";
import { KEPT_OPTIONS, MAX_MS, stage } from "./scenario.js";

/** The content of a link. */
export interface Shared {
  /** The scene that it started from. */
  readonly scene: string | undefined;
  readonly scenario: Scenario;
}

type Data = Readonly<Record<string, unknown>>;

const MAX_COUNT = 60;

/**
 * Validates a scenario from a link. Everything is checked and assembled again, so that a link can do no more than
 * show a run.
 *
 * @throws TypeError that names what is wrong
 */
export function checkShared(json: string): Shared {
  const data = record(JSON.parse(json), "the link");
  const given = record(data["scenario"], "scenario");
  const nodes = list(given["nodes"], "nodes");
  const clients = list(given["clients"], "clients");
  if (nodes.length !== 3) throw new TypeError(`nodes: 3 are shown, not ${nodes.length}`);
  if (clients.length < 1 || clients.length > 4) throw new TypeError("clients: 1 to 4 are shown");
  const bounds = { client: clients.length, node: 3 };
  const network = record(given["network"], "network");
  const distances =
    given["distancesUs"] === undefined ? undefined : list(given["distancesUs"], "distancesUs");
  const scenario = stage({
    seed: integer(given["seed"], "seed", 0, 2 ** 31),
    profile: text(given["profile"], "profile"),
    clients: clients.map((client) => {
      const { wallOffsetMs, steadyPpm, wallPpm } = record(client, "client");
      return {
        wallOffsetMs: integer(wallOffsetMs, "wallOffsetMs", -MAX_MS, MAX_MS),
        steadyPpm: integer(steadyPpm, "steadyPpm", -100_000, 100_000),
        wallPpm: integer(wallPpm, "wallPpm", -100_000, 100_000),
      };
    }),
    clientCount: clients.length,
    options: optionsIn(record(given["options"], "options")),
    workload: list(given["workload"], "workload").map((each) => sessionIn(each, bounds)),
    faults: list(given["faults"], "faults").map((each) => faultIn(each, bounds)),
    lengthMs: integer(given["chaosMs"], "chaosMs", 1_000, MAX_MS),
  });
  return {
    scene: typeof data["scene"] === "string" ? data["scene"] : undefined,
    scenario: {
      ...scenario,
      network: {
        ...scenario.network,
        minDelayUs: integer(network["minDelayUs"], "minDelayUs", 0, 1_000_000),
        meanDelayUs: integer(network["meanDelayUs"], "meanDelayUs", 0, 1_000_000),
      },
      ...(distances && {
        distancesUs: distances.map((row) =>
          list(row, "distancesUs").map((us) => integer(us, "distancesUs", 0, 5_000_000)),
        ),
      }),
    },
  };
}

function optionsIn(given: Data): Partial<LockSettings> {
  const options: Record<string, unknown> = {};
  for (const [name, kept] of Object.entries(KEPT_OPTIONS)) {
    const value = given[name];
    if (value === undefined || kept === null) continue;
    if (typeof kept === "boolean") {
      if (typeof value !== "boolean") throw new TypeError(`${name} must be true or false`);
      options[name] = value;
    } else if (name === "driftFactor") options[name] = number(value, name, 0, 0.5);
    else options[name] = integer(value, name, 0, 65_536);
  }
  return options;
}

interface Bounds {
  readonly client: number;
  readonly node: number;
}

function sessionIn(data: unknown, bounds: Bounds): Session {
  const given = record(data, "workload");
  return {
    atMs: integer(given["atMs"], "atMs", 0, MAX_MS),
    client: integer(given["client"], "client", 0, bounds.client - 1),
    name: "a",
    waitMs: integer(given["waitMs"], "waitMs", 0, MAX_MS),
    holdMs: integer(given["holdMs"], "holdMs", 0, MAX_MS),
    writeCount: integer(given["writeCount"], "writeCount", 0, 20),
    extendCount: 0,
    release: "once",
  };
}

/** The fields of each kind, except its instant. */
const FAULTS: Readonly<Partial<Record<Fault["kind"], readonly string[]>>> = {
  crash: ["node", "mode", "forMs"],
  freeze: ["node", "forMs"],
  nodeJump: ["node", "byMs"],
  nodeRate: ["node", "ratePpm"],
  partition: ["client", "node", "way", "forMs"],
  hold: ["client", "node", "way", "forMs"],
  reset: ["client", "node"],
  pause: ["client", "forMs"],
  suspend: ["client", "forMs"],
  wallJump: ["client", "byMs"],
  kill: ["client", "forMs"],
};

function faultIn(data: unknown, bounds: Bounds): Fault {
  const given = record(data, "faults");
  const kind = text(given["kind"], "kind") as Fault["kind"];
  const fields = Object.hasOwn(FAULTS, kind) ? FAULTS[kind] : undefined;
  if (fields === undefined) throw new TypeError(`faults: the page has none of the kind "${kind}"`);
  const fault: Record<string, unknown> = { kind, atMs: integer(given["atMs"], "atMs", 0, MAX_MS) };
  for (const field of fields) {
    const value = given[field];
    if (field === "mode") fault[field] = oneOf(value, field, ["persisted", "amnesia"]);
    else if (field === "way") fault[field] = oneOf(value, field, ["toNode", "toClient", "both"]);
    else if (field === "client" || field === "node") {
      fault[field] = integer(value, field, 0, bounds[field] - 1);
    } else if (field === "ratePpm") fault[field] = integer(value, field, -900_000, 10_000_000);
    else if (field === "forMs") fault[field] = integer(value, field, 1, MAX_MS);
    else fault[field] = integer(value, field, -3_600_000, 3_600_000);
  }
  return fault as unknown as Fault;
}

function record(data: unknown, what: string): Data {
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    throw new TypeError(`${what} is no object`);
  }
  return data as Data;
}

function list(data: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(data)) throw new TypeError(`${what} is no list`);
  if (data.length > MAX_COUNT) throw new TypeError(`${what}: more than ${MAX_COUNT}`);
  return data;
}

function number(data: unknown, what: string, min: number, max: number): number {
  if (typeof data === "number" && data >= min && data <= max) return data;
  throw new TypeError(`${what} must be a number from ${min} to ${max}, not ${String(data)}`);
}

function integer(data: unknown, what: string, min: number, max: number): number {
  const value = number(data, what, min, max);
  if (Number.isInteger(value)) return value;
  throw new TypeError(`${what} must be an integer, not ${value}`);
}

function text(data: unknown, what: string): string {
  if (typeof data === "string" && data.length <= 40) return data;
  throw new TypeError(`${what} is no short text`);
}

function oneOf(data: unknown, what: string, values: readonly string[]): string {
  if (values.includes(data as string)) return data as string;
  throw new TypeError(`${what} must be one of ${values.join(", ")}`);
}
