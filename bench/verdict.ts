import { spreadOf, type Spread } from "./numbers/spread.js";
import { aligned, format } from "./text/table.js";

/** What a figure should be: one of the two. */
export type Bound = { readonly atLeast: number } | { readonly atMost: number };

/** A figure of the run, with its target. */
export interface Verdict {
  /** Where it was measured, such as `5 nodes, 64 in flight`. */
  readonly where: string;
  readonly figure: string;
  readonly target: Bound;
  /** Ratios are formed round by round, so that both sides ran under the same conditions. */
  readonly measured: Spread;
  readonly verdict: "reached" | "missed";
}

/** Empty if nothing was measured: each part of the bench has only some of the targets. */
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

/** For events that must not happen even once: the sum over all rounds must be 0. */
export function judgeNever(where: string, figure: string, counts: readonly number[]): Verdict[] {
  if (counts.length === 0) return [];
  return judge(where, figure, { atMost: 0 }, [counts.reduce((sum, count) => sum + count, 0)]);
}

export function verdictTable(verdicts: readonly Verdict[]): string {
  const head = ["where", "figure", "target", "measured", "verdict"];
  const rows = verdicts.map(({ where, figure, target, measured, verdict }) => [
    where,
    figure,
    boundText(target),
    `${format(measured.median, 2)} (${format(measured.min, 2)} to ${format(measured.max, 2)})`,
    verdict,
  ]);
  return aligned([head, ...rows]);
}

export function boundText(target: Bound): string {
  return "atLeast" in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`;
}
