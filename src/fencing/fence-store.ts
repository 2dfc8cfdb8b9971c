/** Keeps fences: the largest fencing token seen for each resource. */
export interface FenceStore {
  /**
   * Raises the fence of the resource to the token, unless the fence is larger, in one atomic step.
   *
   * @returns the fence after that: the token itself if it is accepted, a larger one if it is stale. As a number:
   *   clients of databases return a 64-bit integer as a string or a bigint
   */
  lift(resource: string, fencingToken: number): number | Promise<number>;
}

/** Default retention of a fence after its last use: one day. */
export const DEFAULT_RETENTION_MS = 86_400_000;
