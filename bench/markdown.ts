import { cellName, type Cell } from "./plan.js";
import type { Ratio } from "./ratios.js";
import type { Series } from "./rounds.js";
import type { Metric } from "./sample.js";
import { spreadOf } from "./spread.js";

const COLUMNS: readonly { metric: Metric; title: string; digits: number }[] = [
  { metric: "cyclesPerSecond", title: "cycles/s", digits: 0 },
  { metric: "p50Ms", title: "p50 ms", digits: 3 },
  { metric: "p99Ms", title: "p99 ms", digits: 3 },
  { metric: "clientCpuUs", title: "client CPU µs", digits: 1 },
  { metric: "serverCpuUs", title: "server CPU µs", digits: 1 },
  { metric: "sentPerNode", title: "sent/node", digits: 2 },
  { metric: "executedPerNode", title: "executed/node", digits: 2 },
];

/** One table a cell: the median of the rounds, with its range. CPU and commands are per cycle. */
export function tables(series: readonly Series[]): string {
  const cells = [...new Set(series.map(({ cell }) => cell))];
  return cells.map((cell) => table(cell, series)).join("\n");
}

function table(cell: Cell, series: readonly Series[]): string {
  const head = ["subject", ...COLUMNS.map(({ title }) => title)];
  const rows = series
    .filter((one) => one.cell === cell)
    .map(({ subjectName, samples }) => {
      const values = COLUMNS.map(({ metric, digits }) => {
        const { median, min, max } = spreadOf(samples.map((sample) => sample[metric]));
        const [middle, low, high] = [median, min, max].map((value) => format(value, digits));
        return low === high ? `${middle}` : `${middle} (${low} to ${high})`;
      });
      return [subjectName, ...values];
    });
  return `### ${cellName(cell)}\n\n${aligned([head, ...rows])}\n`;
}

/** What the numbers come down to, with what they should. */
export function ratioTable(ratios: readonly Ratio[]): string {
  const head = ["cell", "ratio", "target", "measured", "verdict"];
  const rows = ratios.map((ratio) => {
    const { metric, subject, versus, atLeast, atMost, measured } = ratio;
    const title = COLUMNS.find((column) => column.metric === metric)?.title ?? metric;
    const [median, min, max] = [measured.median, measured.min, measured.max].map((value) =>
      format(value, 2),
    );
    return [
      cellName({ workload: "uncontended", ...ratio }),
      `${title}, ${subject} / ${versus}`,
      atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`,
      `${median} (${min} to ${max})`,
      ratio.verdict,
    ];
  });
  return `### Ratios\n\n${aligned([head, ...rows])}\n`;
}

export function format(value: number, digits: number): string {
  return value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** A Markdown table that can also be read as it is. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)].join("\n");
}
