import type { ForceReleaseResult, HolderReport, LockReport, NodeReport } from "../index.js";
import type { ServerSeen } from "./doctor/seen.js";
import type { Scan } from "./scan.js";

/** All that a type has, so that what is printed has no field that its schema forbids. */
type FieldsOf<Printed> = { readonly [Field in keyof Required<Printed>]: object };

/** What `--json` prints of a holder. */
const HOLDER = {
  type: "object",
  required: ["fingerprint", "mode", "remainingMs", "freeInMs", "nodes", "isQuorate"],
  additionalProperties: false,
  properties: {
    fingerprint: {
      type: "string",
      pattern: "^[0-9a-f]{8}$",
    },
    label: {
      type: "string",
    },
    mode: {
      enum: ["exclusive", "shared"],
    },
    owner: {
      type: "string",
    },
    permit: {
      type: "integer",
    },
    permits: {
      type: "array",
      items: {
        type: "integer",
      },
    },
    remainingMs: {
      type: "number",
    },
    freeInMs: {
      type: "number",
    },
    nodes: {
      type: "array",
      items: {
        type: "string",
      },
    },
    isQuorate: {
      type: "boolean",
    },
  } satisfies FieldsOf<HolderReport>,
} as const;

/** What `--json` prints of one name in a list. */
const ROW = {
  type: "object",
  required: [
    "name",
    "state",
    "holderCount",
    "nodeCount",
    "remainingMs",
    "freeInMs",
    "waitingCount",
  ],
  additionalProperties: false,
  properties: {
    name: {
      type: "string",
    },
    state: {
      enum: ["held", "undecided", "free", "data"],
    },
    mode: {
      enum: ["exclusive", "shared", "semaphore", "owned"],
    },
    holderCount: {
      type: "integer",
    },
    label: {
      type: "string",
    },
    nodeCount: {
      type: "integer",
    },
    remainingMs: {
      type: "number",
    },
    freeInMs: {
      type: "number",
    },
    waitingCount: {
      type: "integer",
    },
  },
} as const;

/** What `--json` prints of a search for names. */
const SCAN = {
  isCut: {
    type: "boolean",
    description: "there are more names",
  },
  isComplete: {
    type: "boolean",
    description: "no held name can be missing",
  },
  failures: {
    type: "array",
    description: "nodes that were not scanned",
    items: {
      type: "object",
      required: ["node", "message"],
      additionalProperties: false,
      properties: {
        node: {
          type: "string",
        },
        message: {
          type: "string",
        },
      },
    },
  },
} as const satisfies FieldsOf<Scan>;

/**
 * What the commands print as JSON, as JSON schemas, each complete. Fields may be added in later versions; those that are
 * required stay.
 */
export const SCHEMAS = {
  error: {
    type: "object",
    required: ["error"],
    additionalProperties: false,
    properties: {
      error: {
        type: "object",
        required: ["exitCode", "message"],
        additionalProperties: false,
        properties: {
          exitCode: {
            type: "integer",
          },
          code: {
            type: "string",
            description: "of an error of the library: QUORATE_UNREACHABLE, ...",
          },
          message: {
            type: "string",
          },
        },
      },
    },
  },
  status: {
    type: "object",
    required: ["event", "atMs"],
    additionalProperties: false,
    properties: {
      event: {
        enum: ["waiting", "acquired", "renewed", "late", "stopping", "killed", "released"],
      },
      atMs: {
        type: "integer",
        description: "when, ms since 1970",
      },
      fencingToken: {
        type: "integer",
      },
      validMs: {
        type: "integer",
        description: "remaining validity at that time",
      },
      reason: {
        type: "string",
      },
    },
  },
  observe: {
    type: "object",
    required: ["atMs", "state"],
    additionalProperties: false,
    properties: {
      atMs: {
        type: "integer",
        description: "when, ms since 1970",
      },
      state: {
        enum: ["held", "free", "undecided"],
      },
      label: {
        type: "string",
        description: "of the leader",
      },
      fingerprint: {
        type: "string",
        pattern: "^[0-9a-f]{8}$",
      },
    },
  },
  held: {
    type: "object",
    required: ["name", "token", "isHeld", "isQuorate"],
    additionalProperties: false,
    properties: {
      name: {
        type: "string",
      },
      token: {
        type: "integer",
      },
      isHeld: {
        type: "boolean",
      },
      isQuorate: {
        type: "boolean",
      },
    },
  },
  inspect: {
    type: "object",
    required: ["name", "state", "isQuorate", "holders", "waitingCount", "nodes"],
    additionalProperties: false,
    properties: {
      name: {
        type: "string",
      },
      state: {
        enum: ["held", "free", "undecided"],
      },
      isQuorate: {
        type: "boolean",
      },
      holders: {
        type: "array",
        items: {
          $ref: "#/$defs/holder",
        },
      },
      waitingCount: {
        type: "integer",
      },
      fencingToken: {
        type: "integer",
      },
      nodes: {
        type: "array",
        items: {
          $ref: "#/$defs/node",
        },
      },
    } satisfies FieldsOf<LockReport>,
    $defs: {
      holder: HOLDER,
      node: {
        type: "object",
        required: ["node", "state", "fingerprints", "freeInMs", "waitingCount"],
        additionalProperties: false,
        properties: {
          node: {
            type: "string",
          },
          state: {
            enum: ["held", "free", "turn", "foreign", "unanswered"],
          },
          fingerprints: {
            type: "array",
            items: {
              type: "string",
            },
          },
          freeInMs: {
            type: "number",
          },
          waitingCount: {
            type: "integer",
          },
          fence: {
            type: "integer",
          },
          message: {
            type: "string",
          },
        } satisfies FieldsOf<NodeReport>,
      },
    },
  },
  release: {
    $defs: { holder: HOLDER },
    type: "object",
    required: ["name", "removed", "nodes", "isQuorate"],
    additionalProperties: false,
    properties: {
      name: {
        type: "string",
      },
      removed: {
        type: "array",
        description: "in the format of inspect",
        items: {
          $ref: "#/$defs/holder",
        },
      },
      nodes: {
        type: "array",
        items: {
          type: "string",
        },
      },
      isQuorate: {
        type: "boolean",
      },
    } satisfies FieldsOf<ForceReleaseResult>,
  },
  doctor: {
    type: "object",
    required: ["quorum", "nodes", "findings"],
    additionalProperties: false,
    properties: {
      quorum: {
        type: "object",
        required: ["nodeCount", "size", "votes"],
        additionalProperties: false,
        properties: {
          nodeCount: {
            type: "integer",
          },
          size: {
            type: "integer",
            description: "votes that a lock needs",
          },
          votes: {
            type: "integer",
            description: "nodes that vote",
          },
        },
      },
      nodes: {
        type: "array",
        items: {
          type: "object",
          required: ["node", "kind", "state"],
          additionalProperties: false,
          properties: {
            node: {
              type: "string",
            },
            kind: {
              enum: ["server", "sentinel", "cluster"],
            },
            state: {
              enum: ["votes", "new", "waits", "quarantined", "unkept", "no"],
            },
            flavour: {
              enum: [
                "Redis",
                "Valkey",
                "KeyDB",
                "Dragonfly",
                "Garnet",
              ] satisfies ServerSeen["flavour"][],
            },
            version: {
              type: "string",
            },
            address: {
              type: "string",
            },
            roundTripMs: {
              type: "object",
              required: ["p50", "max"],
              additionalProperties: false,
              properties: {
                p50: {
                  type: "number",
                },
                max: {
                  type: "number",
                },
              },
            },
            clockOffsetMs: {
              type: "number",
              description: "ahead of this machine's clock",
            },
          },
        },
      },
      findings: {
        type: "array",
        items: {
          type: "object",
          required: ["severity", "code", "saw", "change"],
          additionalProperties: false,
          properties: {
            severity: {
              enum: ["error", "warning", "note"],
            },
            node: {
              type: "string",
              description: "absent: the deployment, or this machine",
            },
            code: {
              type: "string",
            },
            saw: {
              type: "string",
            },
            change: {
              type: "string",
            },
          },
        },
      },
    },
  },
  ls: {
    type: "object",
    required: ["names", "isCut", "isComplete", "failures"],
    additionalProperties: false,
    properties: {
      names: {
        type: "array",
        items: {
          $ref: "#/$defs/row",
        },
      },
      ...SCAN,
    },
    $defs: {
      row: ROW,
      holder: HOLDER,
    },
  },
  watch: {
    type: "object",
    required: ["atMs", "quorum", "nodes", "names", "isCut", "isComplete", "failures"],
    additionalProperties: false,
    properties: {
      atMs: {
        type: "number",
      },
      quorum: {
        type: "object",
        required: ["nodeCount", "size", "votes"],
        additionalProperties: false,
        properties: {
          nodeCount: {
            type: "integer",
          },
          size: {
            type: "integer",
          },
          votes: {
            type: "integer",
          },
        },
      },
      nodes: {
        type: "array",
        items: {
          type: "object",
          required: ["node", "state", "detail", "quarantineLeftMs"],
          additionalProperties: false,
          properties: {
            node: {
              type: "string",
            },
            state: {
              type: "string",
            },
            detail: {
              type: "string",
            },
            quarantineLeftMs: {
              type: "number",
            },
            clockOffsetMs: {
              type: "number",
            },
          },
        },
      },
      names: {
        type: "array",
        items: {
          $ref: "#/$defs/row",
        },
      },
      ...SCAN,
    },
    $defs: {
      holder: HOLDER,
      row: ROW,
    },
  },
  bench: {
    type: "object",
    required: ["nodeCount", "concurrency", "durationMs", "cycles", "failures", "floor"],
    additionalProperties: false,
    properties: {
      nodeCount: {
        type: "integer",
      },
      concurrency: {
        type: "integer",
      },
      durationMs: {
        type: "integer",
      },
      cycles: {
        type: "object",
        required: ["count", "perSecond", "cycleMs", "acquireMs", "releaseMs"],
        additionalProperties: false,
        properties: {
          count: {
            type: "integer",
          },
          perSecond: {
            type: "integer",
          },
          cycleMs: {
            $ref: "#/$defs/durations",
          },
          acquireMs: {
            $ref: "#/$defs/durations",
          },
          releaseMs: {
            $ref: "#/$defs/durations",
          },
        },
      },
      failures: {
        type: "object",
        description: "by error code",
        additionalProperties: {
          type: "integer",
        },
      },
      floor: {
        type: "object",
        required: ["command", "count", "perSecond", "roundMs"],
        additionalProperties: false,
        properties: {
          command: {
            enum: ["PING", "TIME"],
          },
          count: {
            type: "integer",
          },
          perSecond: {
            type: "integer",
          },
          roundMs: {
            $ref: "#/$defs/durations",
          },
        },
      },
    },
    $defs: {
      durations: {
        type: "object",
        required: ["p50", "p99", "max"],
        additionalProperties: false,
        properties: {
          p50: {
            type: "number",
          },
          p99: {
            type: "number",
          },
          max: {
            type: "number",
          },
        },
      },
    },
  },
} as const satisfies Readonly<Record<string, object>>;
