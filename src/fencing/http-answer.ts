import { number } from "../runtime/validate.js";
import { StaleTokenError, type MalformedTokenError } from "./errors.js";
import { checkGrant, type Grant } from "./grant.js";
import { parseToken, TOKEN_HEADER, type HeadersLike } from "./http-headers.js";

/** The methods that are used of a response in `node:http`. */
export interface AnswerLike {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  end(body: string): unknown;
}

/**
 * Responds to a rejected request: 409 (Conflict) with the fence in `fencing-token` for a stale token, 428
 * (Precondition Required) for a missing one, 400 for an invalid one. The body is JSON with the error's `code`
 * and `message`.
 */
export function answerRefusal(
  response: AnswerLike,
  error: StaleTokenError | MalformedTokenError,
): void {
  const isStale = error instanceof StaleTokenError;
  const fence = isStale && error.fence !== undefined ? { [TOKEN_HEADER]: String(error.fence) } : {};
  const status = isStale ? 409 : error.value === undefined ? 428 : 400;
  response.writeHead(status, { "content-type": "application/json", ...fence });
  response.end(JSON.stringify({ code: error.code, message: error.message }));
}

/**
 * For clients: checks that a service did not reject the fencing token of a request. All other responses pass.
 *
 * @throws StaleTokenError if the status is 409 or 412, and the header `fencing-token` has a larger token. A conflict
 *   of another kind does not have this header.
 * @throws TypeError or RangeError if the grant has no valid name or fencing token, or the response no status
 */
export function assertNotStale(
  grant: Grant,
  response: { readonly status: number; readonly headers: HeadersLike },
): void {
  const checked = checkGrant(grant);
  // Some clients call it otherwise: without it, every write would seem to be accepted.
  const status = number("response.status", response.status, 0);
  if (status !== 409 && status !== 412) return;
  const fence = fenceIn(response.headers);
  if (fence > checked.fencingToken) throw new StaleTokenError(checked, fence);
}

function fenceIn(headers: HeadersLike): number {
  try {
    return parseToken(headers);
  } catch {
    return 0;
  }
}
