import { spreadOf, type Spread } from "./numbers/spread.js";
import { aligned, format } from "./text/table.js";

/** What a figure should be. One of the two. */
export type Bound = { readonly atLeast: number } | { readonly atMost: number };

/** A figure of the run beside its target. */
export interface Verdict {
  /** Where it was measured, such as `5 nodes, 64 in flight`. */
  readonly where: string;
  readonly figure: string;
  readonly target: Bound;
  /** Round by round, so that whatever is compared saw the same machine. */
  readonly measured: Spread;
  readonly verdict: "reached" | "missed";
}

/** None where nothing was measured: a part of the bench has part of the targets. */
export function judge(
  where: string,
  figure: string,
  target: Bound,
  values: readonly number[],
): Verdict[] {
  const known = values.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return [];
  const measured = spreadOf(known);
  const isReached =
    "atLeast" in target ? measured.median >= target.atLeast : measured.median <= target.atMost;
  return [{ where, figure, target, measured, verdict: isReached ? "reached" : "missed" }];
}

/** What must not happen even once: the sum over all rounds has to be 0. */
export function judgeNever(where: string, figure: string, counts: readonly number[]): Verdict[] {
  if (counts.length === 0) return [];
  return judge(where, figure, { atMost: 0 }, [counts.reduce((sum, count) => sum + count, 0)]);
}

export function verdictTable(verdicts: readonly Verdict[]): string {
  const head = ["where", "figure", "target", "measured", "verdict"];
  const rows = verdicts.map(({ where, figure, target, measured, verdict }) => [
    where,
    figure,
    "atLeast" in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`,
    `${format(measured.median, 2)} (${format(measured.min, 2)} to ${format(measured.max, 2)})`,
    verdict,
  ]);
  return aligned([head, ...rows]);
}
