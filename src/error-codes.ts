import type { QuorateErrorCode } from "./errors.js";

/** Somebody else has the lock. */
export const HELD_CODES: readonly string[] = [
  "QUORATE_CONTENDED",
  "QUORATE_WAIT_TIMEOUT",
] satisfies readonly QuorateErrorCode[];

/** No quorum answered an acquire, or not in time: nothing is known about who has the lock. */
export const NO_QUORUM_CODES: readonly string[] = [
  "QUORATE_UNREACHABLE",
  "QUORATE_OVERLOADED",
  "QUORATE_VALIDITY_EXHAUSTED",
] satisfies readonly QuorateErrorCode[];
