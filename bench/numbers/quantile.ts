/** Value at a quantile (0 to 1) of sorted values, by nearest rank; NaN if there is none. */
export function quantileOf(sorted: ArrayLike<number>, quantile: number): number {
  const rank = Math.max(1, Math.ceil(quantile * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}
