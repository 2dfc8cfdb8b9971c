import { spreadOf } from "../numbers/spread.js";

/** `12,345.60` */
export function format(value: number, digits: number): string {
  if (!Number.isFinite(value)) return "-";
  return value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** `median (min to max)`, or one number if all are the same. */
export function inWords(values: readonly number[], digits: number): string {
  const { median, min, max } = spreadOf(values);
  const [middle, low, high] = [median, min, max].map((value) => format(value, digits));
  return low === high ? `${middle}` : `${middle} (${low} to ${high})`;
}

/** The median alone, for a page; {@link inWords} includes the range. */
export const medianOnly = (values: readonly number[], digits: number): string =>
  format(spreadOf(values).median, digits);

/** Formats the figures of several rounds for one cell. */
export type Show = typeof inWords;

/** One figure of the samples, as a column. */
export interface Column<Sample> {
  readonly title: string;
  readonly digits: number;
  readonly of: (sample: Sample) => number;
}

/** A table of series of samples, one row each; a cell has the median and the range of its column unless `show` says otherwise. */
export function seriesTable<Sample>(
  firstTitles: readonly string[],
  columns: readonly Column<Sample>[],
  rows: readonly { readonly titles: readonly string[]; readonly samples: readonly Sample[] }[],
  show: Show = inWords,
): string {
  return aligned([
    [...firstTitles, ...columns.map(({ title }) => title)],
    ...rows.map(({ titles, samples }) => [
      ...titles,
      ...columns.map(({ of, digits }) => show(samples.map(of), digits)),
    ]),
  ]);
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
