import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { parseContention } from "./contended/contention.js";
import { CONTENDED_SUBJECTS } from "./contended/plan.js";
import { FULL, PART_NAMES, QUICK, type PartName, type Plan, type Plans } from "./plan.js";
import { SUBJECT_NAMES } from "./subjects/index.js";
import { parseCell } from "./uncontended/cell.js";

const ALL_SUBJECTS: readonly string[] = [...new Set([...SUBJECT_NAMES, ...CONTENDED_SUBJECTS])];

export const USAGE = `usage: npm run bench -- [options]
  --quick              rough numbers in a good minute
  --part a,b           these parts only: ${PART_NAMES.join(", ")}
  --cell nodes/flight  this uncontended cell only, such as 5/64; may be repeated
  --cell PxW/ms        this contended cell only: processes, workers of each, ms of the section, such as 4x4/0; 2x8/1@20:
                       the first process gets 20 % of a CPU
  --only a,b           these subjects only, uncontended and contended:
                       ${ALL_SUBJECTS.join(", ")}
  --rounds n           number of rounds
  --servers a,b        paths of server programs, redis-server or valkey-server: also measures the part servers, or with
                       --part servers that one alone
  --publish            with --part: replaces the figures of these parts in bench/results and on the pages
  --report             measures nothing: writes the tables and plots of bench/results/latest.json anew
A full run of everything replaces bench/results and the tables of docs/explain/performance.md and README.md, part by
part as each ends; so does --publish for its parts. Any other run writes to .tmp/bench-results.`;

export interface Arguments {
  readonly plan: Plan;
  /** Whether the results replace those that the project publishes. */
  readonly isForProject: boolean;
  readonly isReportOnly: boolean;
}

/** @throws RangeError or TypeError for invalid arguments. */
export function parseArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      part: { type: "string" },
      cell: { type: "string", multiple: true },
      only: { type: "string" },
      rounds: { type: "string" },
      servers: { type: "string" },
      publish: { type: "boolean", default: false },
      report: { type: "boolean", default: false },
    },
  });
  const { quick, part, cell, only, rounds, servers, publish, report } = values;
  if (report && args.length > 1)
    throw new TypeError("--report cannot be combined with other options");
  const partOfCells = cell?.some((text) => text.includes("x")) ? "contended" : "uncontended";
  if (cell !== undefined && (part ?? partOfCells) !== partOfCells) {
    throw new TypeError(`--cell ${cell.join(" ")} is of the part ${partOfCells}, not of "${part}"`);
  }
  const isRough = quick || [cell, only, rounds].some((value) => value !== undefined);
  if (publish && isRough) {
    throw new TypeError(
      "--publish is for whole parts: it can only be combined with --part and --servers",
    );
  }
  let plan: Plan = partsOf(quick ? QUICK : FULL, cell === undefined ? part : partOfCells);
  plan = withServers(plan, servers, part);
  if (cell !== undefined) plan = withCells(plan, cell);
  if (only !== undefined) plan = withSubjects(plan, namesIn("--only", only, ALL_SUBJECTS));
  if (rounds !== undefined) plan = withRounds(plan, rounds);
  if (Object.keys(plan).length === 0) throw new RangeError(`nothing to measure of "${only}"`);
  const isForProject = publish || (part === undefined && !isRough);
  return { plan, isForProject, isReportOnly: report };
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

function partsOf(plan: Plans, part: string | undefined): Plan {
  if (part === undefined) return plan;
  const names: readonly PartName[] = namesIn("--part", part, PART_NAMES);
  return Object.fromEntries(names.map((name) => [name, plan[name]]));
}

/** Limits a plan to these subjects; parts that have no subjects are omitted. */
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

/** Without server programs there is nothing to compare, so the part is omitted. */
function withServers(
  { servers, ...others }: Plan,
  paths: string | undefined,
  part: string | undefined,
): Plan {
  const isWanted = part !== undefined && servers !== undefined;
  if (paths === undefined) {
    if (!isWanted) return others;
    throw new TypeError("--part servers needs --servers with the paths of server programs");
  }
  if (servers === undefined)
    throw new TypeError(`--servers is of the part servers, not of "${part}"`);
  const binaries = paths.split(",");
  const missing = binaries.find((path) => !existsSync(path));
  if (missing !== undefined) throw new RangeError(`--servers: there is no file "${missing}"`);
  return { ...others, servers: { ...servers, binaries } };
}

function withCells({ uncontended, contended }: Plan, texts: readonly string[]): Plan {
  if (contended !== undefined) {
    const cases = texts.map((text) => ({
      contention: parseContention(text),
      subjectNames: CONTENDED_SUBJECTS,
    }));
    return { contended: { ...contended, cases } };
  }
  if (uncontended === undefined) return {};
  const cells = texts.map((text) => ({ cell: parseCell(text), subjectNames: SUBJECT_NAMES }));
  return { uncontended: { ...uncontended, cells } };
}

function withRounds(plan: Plan, text: string): Plan {
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new RangeError(`--rounds must be an integer from 1, got "${text}"`);
  }
  return Object.fromEntries(
    Object.entries(plan).map(([name, part]) => [name, { ...part, rounds }]),
  );
}
