import type { NodeGrant } from "../protocol/node-messages.js";
import type { GrantedVote, Operation, Vote } from "../protocol/operation.js";

/**
 * The interfaces to the outside world. Production and the simulator implement them; the coordinator runs unchanged on
 * both.
 */

/** A timer that can be cancelled. Cancelling it twice, or late, does nothing. */
export interface Timer {
  cancel(): void;
  /** From now on it does not keep the process alive. Absent where nothing does. */
  unref?(): void;
}

export interface Clock {
  /** Lease time in ms: for what must not end late. See `protocol/lease-times`. */
  now(): number;
  /** Monotonic time in ms, never ahead of real time: for what must not end early. */
  steady(): number;
  /** Wall clock in microseconds since 1970: for fencing proposals only. */
  wallUs(): number;
  /** Calls back after `delayMs` of monotonic time; may be late, never early. */
  setTimer(delayMs: number, callback: () => void): Timer;
  /** Calls back once, soon, after the current call has returned. */
  defer(callback: () => void): void;
  /** Calls it now, in no caller's async context, as timers and what is deferred are called. */
  detached(run: () => void): void;
}

export interface Entropy {
  /** Uniform in [0, 1). */
  unit(): number;
  /** 22 characters of `[A-Za-z0-9_-]`: 128 random bits or more. */
  id(): string;
}

/** Receives a node's vote. */
export interface VoteReceiver {
  /** @param index of the node */
  onVote(index: number, vote: Vote): void;
}

/** A vote that came by a message. */
export interface DatedVote {
  readonly vote: GrantedVote;
  /** The validity counts from here, lease clock, ms. */
  readonly sentMs: number;
}

/** For operations without a caller. */
export const NOBODY: VoteReceiver = { onVote: () => {} };

/** One node, as a round sees it. */
export interface NodePort {
  /** For people: `host:port`. */
  readonly name: string;
  /**
   * Asks the node. The receiver is called at most once, possibly long after it gave up, and never before `submit` has
   * returned; that of a release once more where the node executes it after it had failed there. Operations keep their
   * order.
   *
   * @param mayHold for a release: a key of this attempt may be (or come) on the node, so the
   *   release has to reach it even if the node is down now.
   */
  submit(operation: Operation, receiver: VoteReceiver, mayHold: boolean): void;
  /**
   * The node's vote that a message brings, and from when on it counts; undefined if it proves nothing for that owner, or
   * the node's votes do not count.
   */
  voteOf(grant: NodeGrant, ownerId: string): DatedVote | undefined;
}

/** What is heard of the holders of one name, until it is closed. Only a hint, as a message may come late, or never. */
export interface Listening {
  /** The node proves its messages by that from now on. */
  trust(index: number, secret: string): void;
  close(): void;
}

/** Where this process is notified. Only a hint: a message may come twice, late, or never. */
export interface InboxPort {
  /** 8 characters of `[A-Za-z0-9_-]`, unlike those of any other process. */
  readonly id: string;
  /** Whether a quorum of nodes would reach it now. */
  readonly isHeard: boolean;
  /** Starts listening, on the first call. */
  listen(): void;
}
