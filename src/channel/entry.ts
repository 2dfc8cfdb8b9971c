import type { VoteReceiver } from "../coordinator/ports.js";
import { faultVote, type FaultKind, type Operation, type Vote } from "../protocol/operation.js";

/** One operation on its way through a channel. */
export interface Entry {
  readonly operation: Operation;
  readonly receiver: VoteReceiver;
  /** Index of the node, for the receiver. */
  readonly index: number;
  /** A release of a key that may be, or come, on the node: see `NodePort.submit`. */
  readonly mayHold: boolean;
  /** It was sent over an earlier connection too, which may have executed it. */
  readonly wasSent: boolean;
}

/** Hands on a node's vote. */
export function answer(entry: Entry, vote: Vote): void {
  // To find nothing proves nothing where the first sending may have done the work.
  if (entry.wasSent && vote.kind === "refused") {
    answerUnknown(entry, "disconnected", "sent twice, the first time without an answer");
  } else entry.receiver.onVote(entry.index, vote);
}

/** Answers an operation that was not, and will not be, sent. */
export function refuseUnsent(entry: Entry, fault: FaultKind, message: string): void {
  entry.receiver.onVote(entry.index, faultVote(fault, false, message));
}

/** Answers an operation of which nobody can say whether it was executed. */
export function answerUnknown(entry: Entry, fault: FaultKind, message: string): void {
  entry.receiver.onVote(entry.index, faultVote(fault, true, message));
}
