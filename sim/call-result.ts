import {
  ClosedError,
  LockHeldError,
  LockLostError,
  OverloadedError,
  QuorateError,
  QuorumUnreachableError,
  SplitError,
  ValidityExhaustedError,
} from "../src/api/errors.js";
import { ForeignKeyError } from "../src/api/node-errors.js";

/** Reason of the signal of a caller that gave up before its wait was over. */
export const GIVEN_UP = new Error("given up");

/** How many wait, where a call was refused for that. */
export function waitingCountIn(error: unknown): number | undefined {
  return error instanceof LockHeldError ? error.waitingCount : undefined;
}

/**
 * The result of a call that did not get a lock, as the history records it. Other errors are recorded by class name;
 * no call gets one of those here.
 *
 * @throws the error itself, if it is not one of ours
 */
export function resultOf(error: unknown): string {
  if (error === GIVEN_UP || error instanceof ClosedError) return "aborted";
  // Stolen by another caller in its process while it was asking.
  if (error instanceof LockLostError && error.reason === "stolen") return "aborted";
  if (error instanceof LockHeldError) return "refused";
  // It wants more permits than the semaphore has by now.
  if (error instanceof RangeError && error.message.startsWith("`permits`")) return "tooMany";
  if (error instanceof QuorumUnreachableError) return "unreachable";
  if (error instanceof SplitError) return "split";
  if (error instanceof ValidityExhaustedError) return "exhausted";
  if (error instanceof OverloadedError) return "queued";
  if (error instanceof ForeignKeyError) return "foreign";
  if (error instanceof QuorateError) return error.name;
  throw error;
}
