/** Where fences are kept: the largest fencing token seen, by resource. */
export interface FenceStore {
  /**
   * Lifts the fence of the resource to the token, unless it is larger, in one atomic step.
   *
   * @returns the fence after that: the token itself if it is accepted, a larger one if it is stale
   */
  lift(resource: string, fencingToken: number): number | Promise<number>;
}

/** How long a fence is kept after it was last used, if nothing else is said: one day. */
export const DEFAULT_RETENTION_MS = 86_400_000;
