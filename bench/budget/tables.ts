import { inWords, aligned, type Show } from "../text/table.js";
import { cellName, type Cell } from "../uncontended/cell.js";
import { LUA, NETWORK } from "./node-lines.js";
import { CLIENT_LINES } from "./profile.js";
import type { BudgetSeries } from "./run.js";
import type { BudgetSample, Lines } from "./sample.js";

/** One table per cell: subjects as columns, the lines of the client and of the nodes as rows. */
export function budgetTables(series: readonly BudgetSeries[], show: Show = inWords): string {
  const cells = new Map(series.map(({ cell }) => [cellName(cell), cell]));
  return [...cells.values()]
    .map((cell) => `${cellName(cell)}, µs of CPU per cycle:\n\n${cellBudget(cell, series, show)}`)
    .join("\n\n");
}

function cellBudget(cell: Cell, series: readonly BudgetSeries[], show: Show): string {
  const subjects = series.filter((one) => cellName(one.cell) === cellName(cell));
  const samples = subjects.flatMap((one) => one.samples);
  const row = (title: string, of: (sample: BudgetSample) => number, digits = 1): string[] => [
    title,
    ...subjects.map((one) => show(one.samples.map(of), digits)),
  ];
  const rows = (names: readonly string[], lines: (sample: BudgetSample) => Lines): string[][] =>
    names
      .filter((name) => samples.some((sample) => lines(sample)[name] !== undefined))
      .map((name) => row(`- ${name}`, (sample) => lines(sample)[name] ?? 0));
  return aligned([
    ["", ...subjects.map(({ subjectName }) => subjectName)],
    row("**client**", (sample) => sumOf(sample.client)),
    ...rows(CLIENT_LINES, ({ client }) => client),
    row("**nodes**", (sample) => sumOf(sample.nodes)),
    ...rows([NETWORK, LUA, ...commandsIn(samples)], ({ nodes }) => nodes),
    row("p50 of a cycle, µs", ({ p50Ms }) => p50Ms * 1_000, 0),
  ]);
}

/** The most expensive first. */
function commandsIn(samples: readonly BudgetSample[]): string[] {
  const mostUs = new Map<string, number>();
  for (const { nodes } of samples) {
    for (const [name, us] of Object.entries(nodes))
      mostUs.set(name, Math.max(us, mostUs.get(name) ?? 0));
  }
  return [...mostUs]
    .filter(([name]) => name !== NETWORK && name !== LUA)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name]) => name);
}

const sumOf = (lines: Lines): number => Object.values(lines).reduce((sum, us) => sum + us, 0);
