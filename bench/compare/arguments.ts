import { parseArgs } from "node:util";
import type { ClientOptions } from "./client-options.js";
import type { Plan } from "./plan.js";
import { SCENARIOS, scenarioOf } from "./scenarios/index.js";
import { SUBJECT_IDS, type SubjectId } from "./subjects/index.js";

export const USAGE = `usage: npm run compare -- [options]
  --only a,b       these scenarios only:
                   ${SCENARIOS.map(({ id }) => id).join(", ")}
  --subject a,b    these subjects only: ${SUBJECT_IDS.join(", ")}
  --ttl ms         another life of the lock
  --ioredis json   options for the peers' ioredis clients, such as '{"commandTimeout":500}'
  --report         run nothing, and write the page again from bench/results/compare.json
Only a run of everything writes docs/explain/comparison.md and bench/results/compare.json.`;

export interface Arguments {
  readonly plan: Plan;
  /** Whether everything was run as documented: the results can then be published. */
  readonly isComplete: boolean;
  /** Whether only to write the page again. */
  readonly isReport: boolean;
}

/** @throws RangeError, TypeError or SyntaxError for invalid arguments. */
export function parseArguments(args: readonly string[]): Arguments {
  const {
    values: { report: isReport, ...given },
  } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      subject: { type: "string" },
      ttl: { type: "string" },
      ioredis: { type: "string" },
      report: { type: "boolean", default: false },
    },
  });
  const ttlMs = given.ttl === undefined ? undefined : Number(given.ttl);
  if (ttlMs !== undefined && !(Number.isInteger(ttlMs) && ttlMs > 0)) {
    throw new RangeError("--ttl must be an integer number of ms");
  }
  return {
    plan: {
      scenarios: given.only?.split(",").map(scenarioOf) ?? SCENARIOS,
      subjectIds: given.subject?.split(",").map(subjectIdOf) ?? SUBJECT_IDS,
      ttlMs,
      clientOptions: clientOptionsOf(given.ioredis),
    },
    isComplete: Object.values(given).every((value) => value === undefined),
    isReport,
  };
}

function clientOptionsOf(json: string | undefined): ClientOptions | undefined {
  return json === undefined ? undefined : (JSON.parse(json) as ClientOptions);
}

function subjectIdOf(id: string): SubjectId {
  const known = SUBJECT_IDS.find((one) => one === id);
  if (known === undefined) throw new RangeError(`no subject "${id}"`);
  return known;
}
