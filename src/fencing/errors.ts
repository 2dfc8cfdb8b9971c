import { quoted } from "../api/error-text.js";
import { show } from "../runtime/validate.js";
import { QuorateError } from "../api/errors.js";
import type { CheckedGrant } from "./grant.js";

/**
 * The store has seen a larger fencing token: the lock has been granted again since, and nothing was written. Do
 * not retry the write. To continue, acquire the lock again and reread the data. Where a `fencedUpdate` changed no
 * row, there may also be no such row.
 */
export class StaleTokenError extends QuorateError {
  readonly code = "QUORATE_STALE_TOKEN";
  /** The rejected token. */
  readonly fencingToken: number;
  /** The largest token that the store has seen; undefined if the store did not report it. */
  readonly fence: number | undefined;

  /** @param happened instead of the sentence that the store has seen a larger token, without the name */
  constructor(
    { name, fencingToken }: CheckedGrant,
    fence?: number,
    cause?: unknown,
    happened = `fencing token ${fencingToken} is stale: ${largerText(fence)} has been seen`,
  ) {
    const remedy = "Do not write: acquire the lock again, and reread the data";
    super({ happened: `${quoted(name)}: ${happened}`, remedy }, name, [], cause);
    this.fencingToken = fencingToken;
    this.fence = fence;
  }
}

function largerText(fence: number | undefined): string {
  return fence === undefined ? "a larger one" : `a larger one (${fence})`;
}

/** A request without a valid fencing token or resource name in its headers. This says nothing about any lock. */
export class MalformedTokenError extends QuorateError {
  readonly code = "QUORATE_MALFORMED_TOKEN";
  /** Name of the missing or invalid header. */
  readonly source: string;
  /** Value of the header; undefined if it is missing. */
  readonly value: unknown;

  constructor(source: string, value: unknown, expected: string, cause?: unknown) {
    const problem = value === undefined ? "is missing" : `is ${show(value)}`;
    super({ happened: `\`${source}\` ${problem}`, remedy: `Send ${expected}` }, "", [], cause);
    this.source = source;
    this.value = value;
  }
}
