import type { QuorateErrorCode } from "./errors.js";

/** Somebody else has the lock. */
export const HELD_CODES: readonly string[] = [
  "QUORATE_CONTENDED",
  "QUORATE_WAIT_TIMEOUT",
  "QUORATE_QUEUE_FULL",
] satisfies readonly QuorateErrorCode[];

/** No quorum answered an acquire, or not in time: nothing is known about who has the lock. */
export const NO_QUORUM_CODES: readonly string[] = [
  "QUORATE_UNREACHABLE",
  "QUORATE_SPLIT",
  "QUORATE_OVERLOADED",
  "QUORATE_VALIDITY_EXHAUSTED",
] satisfies readonly QuorateErrorCode[];

/** No lock was available, or it did not last, for reasons that the client of a request cannot change. */
const UNAVAILABLE_CODES: readonly string[] = [
  ...NO_QUORUM_CODES,
  ...(["QUORATE_MISCONFIGURED", "QUORATE_CLOSED", "QUORATE_LOST"] satisfies QuorateErrorCode[]),
];

/** The HTTP status of a request whose lock failed; undefined for errors that say nothing about its chances. */
export function httpStatusOf(code: string): 423 | 503 | undefined {
  if (HELD_CODES.includes(code)) return 423;
  return UNAVAILABLE_CODES.includes(code) ? 503 : undefined;
}
