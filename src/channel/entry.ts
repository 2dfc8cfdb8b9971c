import type { VoteReceiver } from "../coordinator/ports.js";
import {
  faultVote,
  type AnyOperation,
  type FaultKind,
  type Operation,
} from "../protocol/operation.js";
import type { BatchReply } from "./transport.js";

/** One operation on its way through a channel. */
export interface Entry {
  readonly operation: Operation;
  readonly receiver: VoteReceiver;
  /** Index of the node, for the receiver. */
  readonly index: number;
  /** A release whose key may be on the node or still arrive there: see `NodePort.submit`. */
  readonly mayHold: boolean;
  /** It was sent over an earlier connection too, which may have executed it. */
  readonly wasSent: boolean;
  /** Of a release that failed on the node: when its key has expired there, monotonic clock, ms. */
  readonly owedUntilMs?: number | undefined;
  /** Of one that was rejected with others of its call: in how large a one it may be sent. */
  readonly maxBatchSize?: number;
}

/** Why an operation is not sent. */
export interface Refusal {
  readonly fault: FaultKind;
  readonly message: string;
}

/** What decides whether a node may execute an operation that stores a key. */
export type Storing = Pick<AnyOperation, "kind" | "ttlMs" | "marginMs">;

/** Answers an operation that was not, and will not be, sent. */
export function refuseUnsent(entry: Entry, fault: FaultKind, message: string): void {
  entry.receiver.onVote(entry.index, faultVote(fault, false, message));
}

/**
 * Answers the operations of a call that failed as a whole.
 *
 * @returns the releases that are owed, which are not answered but sent again
 */
export function failCall(
  entries: readonly Entry[],
  { message, isExecuted, isMisconfigured = false }: Extract<BatchReply, { kind: "error" }>,
): Entry[] {
  const fault = isMisconfigured ? "misconfigured" : "server";
  return entries.filter((entry) => {
    if (entry.mayHold) return true;
    if (isExecuted === "no") refuseUnsent(entry, fault, message);
    else answerUnknown(entry, fault, message);
    return false;
  });
}

/** Answers an operation of which it is unknown whether it was executed. */
export function answerUnknown(entry: Entry, fault: FaultKind, message: string): void {
  entry.receiver.onVote(entry.index, faultVote(fault, true, message));
}
