/** What observers of one name cost. */
export interface ObservedSample {
  /** While nothing changes: CPU time of all observers, as a share of one core. */
  readonly idleClientShare: number;
  /** And that of one node. */
  readonly idleNodeShare: number;
  /** For one change of the holder, beyond that: CPU time of all observers, microseconds. */
  readonly clientUs: number;
  /** And that of one node, with what the change itself costs it. */
  readonly nodeUs: number;
  /** The share of the changes that a loop was shown. NaN without observers. */
  readonly shownShare: number;
  /** The same of the first of {@link ObservedPlan.cases} in this round. */
  readonly base: { readonly nodeUs: number };
}
