import { faultVote, type FaultKind, type Operation, type Vote } from "../protocol/operation.js";

/** One operation on its way through a channel. */
export interface Entry {
  readonly operation: Operation;
  readonly reply: (vote: Vote) => void;
  readonly isOwed: boolean;
}

/** Answers an operation that was not, and will not be, sent. */
export function refuseUnsent(entry: Entry, fault: FaultKind, message: string): void {
  entry.reply(faultVote(fault, false, message));
}

/** Answers an operation of which nobody can say whether it was executed. */
export function answerUnknown(entry: Entry, fault: FaultKind, message: string): void {
  entry.reply(faultVote(fault, true, message));
}
