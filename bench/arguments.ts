import { parseArgs } from "node:util";
import { FULL, QUICK, type Plan } from "./plan.js";
import { SUBJECT_NAMES } from "./subjects/index.js";

export const USAGE = `usage: npm run bench -- [options]
  --quick              rough numbers in under a minute
  --only a,b           these subjects only: ${SUBJECT_NAMES.join(", ")}
  --cell nodes/flight  this cell only, such as 5/64; may be repeated
  --contended          only many workers that want one name
  --rounds n           number of rounds`;

export interface Arguments {
  readonly plan: Plan;
  readonly subjectNames: readonly string[];
  /** Also with many workers that want one name. */
  readonly isContended: boolean;
  /** Everything was measured: the results stand for the project. */
  readonly isComplete: boolean;
}

/** @throws RangeError or TypeError for what is not understood. */
export function parseArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      cell: { type: "string", multiple: true },
      contended: { type: "boolean", default: false },
      rounds: { type: "string" },
    },
  });
  const base = values.quick ? QUICK : FULL;
  const subjectNames = values.only?.split(",") ?? SUBJECT_NAMES;
  const unknown = subjectNames.find((name) => !SUBJECT_NAMES.includes(name));
  if (unknown !== undefined) throw new RangeError(`no subject "${unknown}"`);
  const wanted = values.cell;
  const cells = base.cells.filter(
    ({ nodeCount, inFlight }) =>
      !values.contended && (wanted?.includes(`${nodeCount}/${inFlight}`) ?? true),
  );
  if (cells.length === 0 && !values.contended)
    throw new RangeError(`no cell "${wanted?.join(", ")}"`);
  const rounds = Number(values.rounds ?? base.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new RangeError("--rounds must be a whole number from 1");
  }
  const isPartial = values.only !== undefined || wanted !== undefined;
  return {
    plan: { ...base, cells, rounds },
    subjectNames,
    isContended: !isPartial,
    isComplete: !values.quick && !isPartial && !values.contended,
  };
}
