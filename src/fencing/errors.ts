import { show } from "../validate.js";
import { QuorateError } from "../errors.js";
import type { CheckedGrant } from "./grant.js";

/**
 * The store has seen a larger fencing token: the lock has been granted again since, and nothing was written. Do
 * not retry the write. To continue, acquire the lock again and reread the data.
 */
export class StaleTokenError extends QuorateError {
  readonly code = "QUORATE_STALE_TOKEN";
  /** The token that was refused. */
  readonly fencingToken: number;
  /** The largest token that the store had seen; undefined where it did not say. */
  readonly fence: number | undefined;

  constructor({ name, fencingToken }: CheckedGrant, fence?: number, cause?: unknown) {
    const seen = fence === undefined ? "a later one" : String(fence);
    super(`"${name}": fencing token ${fencingToken} is stale, ${seen} was seen`, name, [], cause);
    this.fencingToken = fencingToken;
    this.fence = fence;
  }
}

/** What came in the place of a fencing token is none, and says nothing about any grant. */
export class MalformedTokenError extends QuorateError {
  readonly code = "QUORATE_MALFORMED_TOKEN";
  /** Where it stood: the name of a header. */
  readonly source: string;
  /** What stood there; undefined if nothing did. */
  readonly value: unknown;

  constructor(source: string, value: unknown, expected: string, cause?: unknown) {
    const got = value === undefined ? "it is missing" : `got ${show(value)}`;
    super(`\`${source}\` must be ${expected}, ${got}`, "", [], cause);
    this.source = source;
    this.value = value;
  }
}
