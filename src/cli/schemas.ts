import type { ForceReleaseResult, HolderReport, LockReport, NodeReport } from "../index.js";
import type { ServerSeen } from "./doctor/seen.js";
import type { Scan } from "./scan.js";

/** All that a type has, so that what is printed has no field that its schema forbids. */
type FieldsOf<Printed> = { readonly [Field in keyof Required<Printed>]: object };

const STRING = { type: "string" };
const NUMBER = { type: "number" };
const INTEGER = { type: "integer" };
const BOOLEAN = { type: "boolean" };
const FINGERPRINT = { type: "string", pattern: "^[0-9a-f]{8}$" };
const AT_MS = { type: "integer", description: "when, ms since 1970" };
const NAME_STATE = { enum: ["held", "free", "undecided"] };

/** What has these fields and no others. All of them are there, except those listed as optional. */
function object<F extends Readonly<Record<string, object>>>(
  properties: F,
  optional: readonly (keyof F)[] = [],
) {
  const required = Object.keys(properties).filter((field) => !optional.includes(field));
  return { type: "object", required, additionalProperties: false, properties };
}

function list(items: object, description?: string) {
  return { type: "array", ...(description !== undefined && { description }), items };
}

const reference = (definition: string) => ({ $ref: `#/$defs/${definition}` });

/** What `--json` prints of a holder. */
const HOLDER = object(
  {
    fingerprint: FINGERPRINT,
    label: STRING,
    mode: { enum: ["exclusive", "shared"] },
    owner: STRING,
    permit: INTEGER,
    permits: list(INTEGER),
    remainingMs: NUMBER,
    freeInMs: NUMBER,
    nodes: list(STRING),
    isQuorate: BOOLEAN,
  } satisfies FieldsOf<HolderReport>,
  ["label", "owner", "permit", "permits"],
);

/** What `--json` prints of one name in a list. */
const ROW = object(
  {
    name: STRING,
    state: { enum: ["held", "undecided", "free", "data"] },
    mode: { enum: ["exclusive", "shared", "semaphore", "owned"] },
    holderCount: INTEGER,
    label: STRING,
    nodeCount: INTEGER,
    remainingMs: NUMBER,
    freeInMs: NUMBER,
    waitingCount: INTEGER,
  },
  ["mode", "label"],
);

/** What `--json` prints of a search for names. */
const SCAN = {
  isCut: { type: "boolean", description: "there are more names" },
  isComplete: { type: "boolean", description: "no held name can be missing" },
  failures: list(object({ node: STRING, message: STRING }), "nodes that were not scanned"),
} satisfies FieldsOf<Scan>;

/**
 * What the commands print as JSON, as JSON schemas, each complete. Fields may be added in later versions; those that are
 * required stay.
 */
export const SCHEMAS = {
  error: object({
    error: object(
      {
        exitCode: INTEGER,
        code: {
          type: "string",
          description: "of an error of the library: QUORATE_UNREACHABLE, ...",
        },
        message: STRING,
      },
      ["code"],
    ),
  }),
  status: object(
    {
      event: {
        enum: ["waiting", "acquired", "renewed", "late", "stopping", "killed", "released"],
      },
      atMs: AT_MS,
      fencingToken: INTEGER,
      validMs: { type: "integer", description: "remaining validity at that time" },
      reason: STRING,
    },
    ["fencingToken", "validMs", "reason"],
  ),
  observe: object(
    {
      atMs: AT_MS,
      state: NAME_STATE,
      label: { type: "string", description: "of the leader" },
      fingerprint: FINGERPRINT,
    },
    ["label", "fingerprint"],
  ),
  held: object({ name: STRING, token: INTEGER, isHeld: BOOLEAN, isQuorate: BOOLEAN }),
  inspect: {
    ...object(
      {
        name: STRING,
        state: NAME_STATE,
        isQuorate: BOOLEAN,
        holders: list(reference("holder")),
        waitingCount: INTEGER,
        fencingToken: INTEGER,
        nodes: list(reference("node")),
      } satisfies FieldsOf<LockReport>,
      ["fencingToken"],
    ),
    $defs: {
      holder: HOLDER,
      node: object(
        {
          node: STRING,
          state: { enum: ["held", "free", "turn", "foreign", "unanswered"] },
          fingerprints: list(STRING),
          freeInMs: NUMBER,
          waitingCount: INTEGER,
          fence: INTEGER,
          message: STRING,
        } satisfies FieldsOf<NodeReport>,
        ["fence", "message"],
      ),
    },
  },
  release: {
    ...object({
      name: STRING,
      removed: list(reference("holder"), "in the format of inspect"),
      nodes: list(STRING),
      isQuorate: BOOLEAN,
    } satisfies FieldsOf<ForceReleaseResult>),
    $defs: { holder: HOLDER },
  },
  doctor: object({
    quorum: object({
      nodeCount: INTEGER,
      size: { type: "integer", description: "votes that a lock needs" },
      votes: { type: "integer", description: "nodes that vote" },
    }),
    nodes: list(
      object(
        {
          node: STRING,
          kind: { enum: ["server", "sentinel", "cluster"] },
          state: { enum: ["votes", "new", "waits", "quarantined", "unkept", "no"] },
          flavour: {
            enum: [
              "Redis",
              "Valkey",
              "KeyDB",
              "Dragonfly",
              "Garnet",
            ] satisfies ServerSeen["flavour"][],
          },
          version: STRING,
          address: STRING,
          roundTripMs: object({ p50: NUMBER, max: NUMBER }),
          clockOffsetMs: { type: "number", description: "ahead of this machine's clock" },
        },
        ["flavour", "version", "address", "roundTripMs", "clockOffsetMs"],
      ),
    ),
    findings: list(
      object(
        {
          severity: { enum: ["error", "warning", "note"] },
          node: { type: "string", description: "absent: the deployment, or this machine" },
          code: STRING,
          saw: STRING,
          change: STRING,
        },
        ["node"],
      ),
    ),
  }),
  ls: {
    ...object({ names: list(reference("row")), ...SCAN }),
    $defs: { row: ROW },
  },
  watch: {
    ...object({
      atMs: NUMBER,
      quorum: object({ nodeCount: INTEGER, size: INTEGER, votes: INTEGER }),
      nodes: list(
        object(
          {
            node: STRING,
            state: STRING,
            detail: STRING,
            quarantineLeftMs: NUMBER,
            clockOffsetMs: NUMBER,
          },
          ["clockOffsetMs"],
        ),
      ),
      names: list(reference("row")),
      ...SCAN,
    }),
    $defs: { row: ROW },
  },
  bench: {
    ...object({
      nodeCount: INTEGER,
      concurrency: INTEGER,
      durationMs: INTEGER,
      cycles: object({
        count: INTEGER,
        perSecond: INTEGER,
        cycleMs: reference("durations"),
        acquireMs: reference("durations"),
        releaseMs: reference("durations"),
      }),
      failures: { type: "object", description: "by error code", additionalProperties: INTEGER },
      floor: object({
        command: { enum: ["PING", "TIME"] },
        count: INTEGER,
        perSecond: INTEGER,
        roundMs: reference("durations"),
      }),
    }),
    $defs: { durations: object({ p50: NUMBER, p99: NUMBER, max: NUMBER }) },
  },
};
