/**
 * How even shares are: 1 if all are equal, 1/n if one of n has everything; NaN if there are no shares.
 * From Jain, Chiu and Hawe, "A quantitative measure of fairness", 1984.
 */
export function jainIndex(shares: readonly number[]): number {
  const total = shares.reduce((sum, share) => sum + share, 0);
  const squares = shares.reduce((sum, share) => sum + share * share, 0);
  return (total * total) / (shares.length * squares);
}
