import { element, svgFile, text } from "../../pictures/svg.js";
import type { Job } from "./job.js";
import { metIn, type Met } from "./met.js";
import { COMMAND_TIMEOUT_MS } from "./plan.js";
import type { Observation, Scenario } from "./scenarios/scenario.js";
import { subjectEntry, type SubjectId } from "./subjects/index.js";

/** A run that was observed, as `compare.json` has it. */
export type Observed = Pick<Job, "scenarioId" | "subjectId" | "variant"> &
  Pick<Observation, "facts">;

/** Where it is drawn, in the repository. */
export const HEAT_MAP = "bench/results/compare.svg";

const WIDTH = 480;
const LEFT = 224;
const TOP = 172;
const ROW = 30;
const SIGNS: Readonly<Record<Met, readonly [sign: string, tone: string]>> = {
  met: ["+", "good"],
  partly: ["~", "b"],
  not: ["-", "bad"],
};
const LEGEND: readonly (readonly [Met, string])[] = [
  ["met", "as expected"],
  ["partly", "late, or in part"],
  ["not", "not"],
];

/** Longer titles would not fit beside the cells of a phone. */
const TITLES: Readonly<Record<string, string>> = {
  "tie-2": "tied vote, 2 nodes",
  "tie-4": "tied vote, 4 nodes",
  "split-vote": "three clients at once",
  "one-frozen-acquire": "1 of 3 frozen: acquire",
  "one-frozen-hold": "1 of 3 frozen: hold",
  "one-dead-acquire": "1 of 3 dead: acquire",
  "one-dead-hold": "1 of 3 dead: hold",
  "majority-frozen": "majority frozen: told in time",
  "late-quorum": "quorum answers after the ttl",
  "late-landing": "attempt arrives late",
  "restart-empty": "a node restarts empty",
  "clock-step": "clock of 1 steps, lock on 3",
  "clock-step-2-of-3": "clock of 1 steps, lock on 2",
  "clock-step-all": "clocks of all step",
  "clock-step-one-node": "clock of the only node steps",
  "clock-jump-2-of-3": "clock of 1 jumps far",
  stall: "event loop blocked",
  "outlived-lock": "routine outlives its lock",
};

/**
 * Faults in rows, libraries in columns. Where a library was also run with a timeout on its clients' commands, a cell has
 * two halves.
 */
export function heatMap(
  scenarios: readonly Scenario[],
  subjectIds: readonly SubjectId[],
  all: readonly Observed[],
): string {
  const column = (WIDTH - 12 - LEFT) / subjectIds.length;
  const bottom = TOP + scenarios.length * ROW;
  const cells = scenarios.flatMap(({ id }, row) =>
    subjectIds.flatMap((subjectId, at) => {
      const seen = metsOf(id, subjectId, all);
      const width = (column - 4) / seen.length;
      return seen.map((met, part) => {
        const [x, y] = [LEFT + at * column + part * width, TOP + row * ROW];
        return cellOf(met, x, y, seen.length === 1 ? width : width - 1);
      });
    }),
  );
  return svgFile(
    { title: "Libraries under the same faults", width: WIDTH, height: bottom + 60, fontSize: 12.5 },
    text("Libraries under the same faults", 12, 24, { "font-size": 14, "font-weight": 600 }),
    ...subjectIds.map((id, at) => {
      const x = LEFT + (at + 0.5) * column;
      const turned = { transform: `rotate(-90 ${x + 4} ${TOP - 10})`, "text-anchor": "start" };
      return text(subjectEntry(id).packageName.replace("-oss", ""), x + 4, TOP - 10, turned);
    }),
    ...scenarios.map(({ id, title }, row) => text(TITLES[id] ?? title, 12, TOP + row * ROW + 18)),
    ...cells,
    ...LEGEND.flatMap(([met, words], at) => [
      cellOf(met, 12 + at * 136, bottom + 10, 22),
      text(words, 40 + at * 136, bottom + 28),
    ]),
  );
}

/** The same for those who do not see it. */
export function heatMapInWords(
  scenarios: readonly Scenario[],
  subjectIds: readonly SubjectId[],
  all: readonly Observed[],
): string {
  const counts = subjectIds.map((subjectId) => {
    const count = scenarios.filter(({ id }) => metsOf(id, subjectId, all)[0] === "met").length;
    return `${subjectEntry(subjectId).packageName} ${count}`;
  });
  return `${scenarios.length} faults and five libraries. With its defaults, each does what is expected in so many of them: ${counts.join(", ")}. A cell with two halves shows, on the right, the same library with commandTimeout: ${COMMAND_TIMEOUT_MS} in its clients.`;
}

/** With the defaults and, where it was tried, with a timeout on commands. */
function metsOf(scenarioId: string, subjectId: SubjectId, all: readonly Observed[]): Met[] {
  return (["usual", "command timeout"] as const).flatMap((variant) =>
    all
      .filter((one) => one.scenarioId === scenarioId && one.subjectId === subjectId)
      .filter((one) => one.variant === variant)
      .map(({ facts }) => metIn(scenarioId, facts)),
  );
}

function cellOf(met: Met, x: number, y: number, width: number): string {
  const [sign, tone] = SIGNS[met];
  const box = { x, y, width, height: ROW - 4, rx: 3, class: tone };
  const middle = { "text-anchor": "middle", "font-weight": 700, class: tone };
  const drawn = { ...box, fill: "var(--wash)", stroke: "var(--line)" };
  return element("rect", drawn) + text(sign, x + width / 2, y + 17, middle);
}
