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
Only a run of everything writes docs/explain/comparison.md and bench/results/compare.json.`;

export interface Arguments {
  readonly plan: Plan;
  /** Whether everything was run as documented: the results can then be published. */
  readonly isComplete: boolean;
}

/** @throws RangeError, TypeError or SyntaxError for invalid arguments. */
export function parseArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      subject: { type: "string" },
      ttl: { type: "string" },
      ioredis: { type: "string" },
    },
  });
  const ttlMs = values.ttl === undefined ? undefined : Number(values.ttl);
  if (ttlMs !== undefined && !(Number.isInteger(ttlMs) && ttlMs > 0)) {
    throw new RangeError("--ttl must be an integer number of ms");
  }
  return {
    plan: {
      scenarios: values.only?.split(",").map(scenarioOf) ?? SCENARIOS,
      subjectIds: values.subject?.split(",").map(subjectIdOf) ?? SUBJECT_IDS,
      ttlMs,
      clientOptions: clientOptionsOf(values.ioredis),
    },
    isComplete: Object.values(values).every((value) => value === undefined),
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
