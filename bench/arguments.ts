import { parseArgs } from "node:util";
import { CONTENDED_SUBJECTS } from "./contended/plan.js";
import { FULL, PART_NAMES, QUICK, type PartName, type Plan } from "./plan.js";
import { SUBJECT_NAMES } from "./subjects/index.js";
import { parseCell } from "./uncontended/cell.js";

const ALL_SUBJECTS: readonly string[] = [...new Set([...SUBJECT_NAMES, ...CONTENDED_SUBJECTS])];

export const USAGE = `usage: npm run bench -- [options]
  --quick              rough numbers in under a minute
  --part a,b           these parts only: ${PART_NAMES.join(", ")}
  --cell nodes/flight  this uncontended cell only, such as 5/64; may be repeated
  --only a,b           these subjects only, uncontended and contended:
                       ${ALL_SUBJECTS.join(", ")}
  --rounds n           number of rounds
  --report             measures nothing: writes the tables and plots of bench/results/latest.json anew
Only a full run of everything replaces bench/results and the tables of docs/performance.md; any other
writes to .tmp/bench-results.`;

export interface Arguments {
  readonly plan: Plan;
  /** Everything is measured: the results stand for the project. */
  readonly isComplete: boolean;
  readonly isReportOnly: boolean;
}

/** @throws RangeError or TypeError for what is not understood. */
export function parseArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      part: { type: "string" },
      cell: { type: "string", multiple: true },
      only: { type: "string" },
      rounds: { type: "string" },
      report: { type: "boolean", default: false },
    },
  });
  const { quick, part, cell, only, rounds, report } = values;
  if (report && args.length > 1) throw new TypeError("--report goes with no other option");
  if (cell !== undefined && (part ?? "uncontended") !== "uncontended") {
    throw new TypeError(`--cell is of the part uncontended, not of "${part}"`);
  }
  let plan: Plan = partsOf(quick ? QUICK : FULL, cell === undefined ? part : "uncontended");
  if (cell !== undefined) plan = withCells(plan, cell);
  if (only !== undefined) plan = withSubjects(plan, namesIn("--only", only, ALL_SUBJECTS));
  if (rounds !== undefined) plan = withRounds(plan, rounds);
  if (Object.keys(plan).length === 0) throw new RangeError(`nothing to measure of "${only}"`);
  const isPartial = [part, cell, only, rounds].some((value) => value !== undefined);
  return { plan, isComplete: !quick && !isPartial, isReportOnly: report };
}

function namesIn<Name extends string>(
  option: string,
  text: string,
  known: readonly Name[],
): readonly Name[] {
  return text.split(",").map((name) => {
    const found = known.find((one) => one === name);
    if (found !== undefined) return found;
    throw new RangeError(`${option}: no "${name}"; there are ${known.join(", ")}`);
  });
}

function partsOf(plan: Required<Plan>, part: string | undefined): Plan {
  if (part === undefined) return plan;
  const names: readonly PartName[] = namesIn("--part", part, PART_NAMES);
  return Object.fromEntries(names.map((name) => [name, plan[name]]));
}

/** Only where these subjects are measured; the parts that know no subjects are left out. */
function withSubjects({ uncontended, contended }: Plan, names: readonly string[]): Plan {
  const some = (all: readonly string[]): string[] => all.filter((name) => names.includes(name));
  const cells = (uncontended?.cells ?? []).map(({ cell }) => ({
    cell,
    subjectNames: some(SUBJECT_NAMES),
  }));
  const cases = (contended?.cases ?? []).map(({ contention }) => ({
    contention,
    subjectNames: some(CONTENDED_SUBJECTS),
  }));
  const isMeasured = (list: readonly { readonly subjectNames: readonly string[] }[]): boolean =>
    list.some(({ subjectNames }) => subjectNames.length > 0);
  return {
    ...(uncontended !== undefined &&
      isMeasured(cells) && { uncontended: { ...uncontended, cells } }),
    ...(contended !== undefined && isMeasured(cases) && { contended: { ...contended, cases } }),
  };
}

function withCells({ uncontended }: Plan, texts: readonly string[]): Plan {
  if (uncontended === undefined) return {};
  const cells = texts.map((text) => ({ cell: parseCell(text), subjectNames: SUBJECT_NAMES }));
  return { uncontended: { ...uncontended, cells } };
}

function withRounds(plan: Plan, text: string): Plan {
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new RangeError(`--rounds must be a whole number from 1, got "${text}"`);
  }
  return Object.fromEntries(
    Object.entries(plan).map(([name, part]) => [name, { ...part, rounds }]),
  );
}
