/** Permits that were acquired and released at once. */
export interface PermitsSample {
  readonly requestsPerSecond: number;
  /** CPU time of the client for one request, microseconds. */
  readonly clientUs: number;
  /** Time that a node spends in scripts for one request, microseconds. */
  readonly nodeUs: number;
  /** The same of the first of {@link PermitsPlan.cases} in this round. */
  readonly base: { readonly clientUs: number; readonly nodeUs: number };
}
