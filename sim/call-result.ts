import {
  ClosedError,
  LockContendedError,
  LockLostError,
  OverloadedError,
  QuorateError,
  QuorumUnreachableError,
  ValidityExhaustedError,
  WaitTimeoutError,
} from "../src/errors.js";
import { ForeignKeyError } from "../src/node-errors.js";

/** Why somebody gave up who could have gone on, as the reason of a signal. */
export const GIVEN_UP = new Error("given up");

/**
 * What a history calls the error of a call that did not get a lock. For others than these, which no call comes to
 * here, it is the name of its class.
 *
 * @throws the error, if it is none of ours
 */
export function resultOf(error: unknown): string {
  if (error === GIVEN_UP || error instanceof ClosedError) return "aborted";
  // Stolen by another of its process while it was asking.
  if (error instanceof LockLostError && error.reason === "stolen") return "aborted";
  if (error instanceof LockContendedError || error instanceof WaitTimeoutError) return "refused";
  if (error instanceof QuorumUnreachableError) return "unreachable";
  if (error instanceof ValidityExhaustedError) return "exhausted";
  if (error instanceof OverloadedError) return "queued";
  if (error instanceof ForeignKeyError) return "foreign";
  if (error instanceof QuorateError) return error.name;
  throw error;
}
