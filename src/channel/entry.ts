import { NOBODY, type VoteReceiver } from "../coordinator/ports.js";
import { faultVote, type FaultKind, type Operation, type Vote } from "../protocol/operation.js";
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
}

/** An operation of the channel itself, without a caller. */
export function entryWithoutReceiver(operation: Operation, index: number): Entry {
  return { operation, receiver: NOBODY, index, mayHold: false, wasSent: false };
}

/** Passes on a node's vote. */
export function answer(entry: Entry, vote: Vote): void {
  // A missing key proves nothing where the first sending may have been executed.
  if (entry.wasSent && vote.kind === "refused") {
    answerUnknown(entry, "disconnected", "sent twice, the first time without an answer");
  } else entry.receiver.onVote(entry.index, vote);
}

/** Answers an operation that was not, and will not be, sent. */
export function refuseUnsent(entry: Entry, fault: FaultKind, message: string): void {
  entry.receiver.onVote(entry.index, faultVote(fault, false, message));
}

/**
 * Answers an operation that must not be sent any more, or not to that node.
 *
 * @param problem why the node must not get it, if its deadline has not passed
 * @param wasHeldBack it has waited for the node
 */
export function refuseDue(
  entry: Entry,
  nowMs: number,
  problem: string | undefined,
  wasHeldBack: boolean,
): void {
  if (entry.operation.sendBeforeMs >= nowMs) refuseUnsent(entry, "quarantined", problem ?? "");
  else if (wasHeldBack) refuseUnsent(entry, "timeout", HELD_BACK);
  else refuseUnsent(entry, "late", "the client was too busy to send it in time");
}

const HELD_BACK = "not sent within its deadline: the node was not ready for it";

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
