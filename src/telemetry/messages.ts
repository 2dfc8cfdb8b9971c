import type { LossCause, LossReason } from "../coordinator/loss.js";
import type { ReleaseResult } from "../coordinator/release-result.js";
import type { ChannelState } from "../channel/channel-state.js";
import type { LateLock } from "../api/events.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { FaultKind } from "../protocol/operation.js";

/*
 * What is published on the diagnostics channels, by channel. No message has an ownerId, a password or the text of a
 * script. Messages are for reading: what a subscriber changes in one, later subscribers see.
 */

/** Which lock a message is about. */
export interface LockMessage {
  /** For people: of several names all of them, with ", " between. */
  readonly name: string;
  readonly names: readonly string[];
  readonly mode: LockKind["mode"];
}

/**
 * - `granted`
 * - `contended`: one attempt, and others hold the name; or too many wait for it (`maxWaiters`)
 * - `timeout`: others held it for all of `waitMs`
 * - `unreachable`: too few nodes answered
 * - `split`: nobody had the name, but others asked for it at the same moment
 * - `exhausted`: they answered too late
 * - `aborted`: by its signal, by a `steal` of the same manager, or because the manager was closed
 * - `error`: any other error, which the message has
 */
export type AcquireOutcome =
  | "granted"
  | "contended"
  | "timeout"
  | "unreachable"
  | "split"
  | "exhausted"
  | "aborted"
  | "error";

/** One attempt of an acquire that failed. */
export interface AttemptMessage {
  readonly outcome: "refused" | "split" | "unreachable" | "exhausted";
  /** Such as `1/3 granted, 2 refused`. */
  readonly tally: string;
  /** When it ended, ms since 1970. */
  readonly atMs: number;
}

/** `quorate:acquire`, a TracingChannel: an acquire, from the call on. Complete at `asyncEnd`. */
export interface AcquireMessage extends LockMessage {
  readonly layout: string;
  /** In whose name it is asked for; the option `owner`, no secret. */
  readonly owner: string | undefined;
  readonly waitMs: number;
  /** Whether it joined a lock that its async context has already. */
  reentrant: boolean;
  /** So many have begun. */
  attemptCount: number;
  /** Those that failed, of many the last 32 (`MAX_ATTEMPTS`). */
  readonly attempts: AttemptMessage[];
  outcome: AcquireOutcome | undefined;
  /** From the call to its outcome, ms. */
  waitedMs: number;
  fencingToken: number | undefined;
  /** Validity that is left when it is granted, ms. */
  validMs: number | undefined;
  /** What the acquire rejects with. */
  error?: unknown;
}

/** Attempts that an {@link AcquireMessage} lists. */
export const MAX_ATTEMPTS = 32;

/** `quorate:extend`, a TracingChannel: one extend round of a lock. Complete at `asyncEnd`. */
export interface ExtendMessage extends LockMessage {
  readonly fencingToken: number | undefined;
  /** False for `lock.extend()`. */
  readonly isRenewal: boolean;
  /** How long after it was due it was sent, ms; 0 for `lock.extend()`. A retry is due after a delay of its own. */
  readonly lateMs: number;
  /** Validity that was left when it ended, not counting what it has added, ms. */
  validBeforeMs: number;
  /** Validity that is left when it has ended, ms. */
  validAfterMs: number;
  /** Whether less than `lossNoticeMs` was left when it ended. */
  isLate: boolean;
  /** `released`: the lock was released meanwhile. */
  outcome: "extended" | "failed" | "lost" | "released" | undefined;
  /** From its first send to its outcome, ms. */
  durationMs: number;
}

/** `quorate:release`, a TracingChannel: a lock that was held is released. Complete at `asyncEnd`. */
export interface ReleaseMessage extends LockMessage {
  readonly fencingToken: number | undefined;
  /** From its grant to now, or to the end of its validity if that is earlier, ms. */
  readonly heldMs: number;
  /** Validity that was left, ms. */
  readonly validMs: number;
  result: ReleaseResult | undefined;
}

/**
 * `quorate:request`, a TracingChannel: the callback of a `request`, which runs in the stores that are bound to it.
 * Complete at `asyncEnd`.
 */
export interface RequestMessage extends LockMessage {
  readonly fencingToken: number | undefined;
  /** `lost`: the lock was, before the callback ended. */
  outcome: "done" | "threw" | "lost" | undefined;
  /** What the callback threw. */
  error?: unknown;
  /**
   * For a subscriber to `start` that needs more than a store to run the callback in its own context: the callback
   * runs within `wrapper`, which has to call what it is given, at once and once.
   */
  around(wrapper: (run: () => void) => void): void;
}

/** One node's part in a round. */
export interface RoundVote {
  /** As `locks.nodes` calls it, most often `host:port`. */
  readonly node: string;
  readonly vote: "granted" | "refused" | "fault";
  /** Why a fault is one; `timeout` if there was no vote by the node's deadline. */
  readonly fault?: FaultKind;
  /** From the send of the round to the vote, ms; to the deadline if there was none. */
  readonly ms: number;
}

/** `quorate:round`: one operation that was sent to all nodes, when all have answered or their time is over. */
export interface RoundMessage {
  readonly kind: "acquire" | "extend" | "release";
  readonly name: string;
  readonly names: readonly string[];
  /** `abandoned`: nobody waits for its outcome any more. */
  readonly verdict: "won" | "lost" | "abandoned";
  /** From its first send to its verdict, ms. */
  readonly durationMs: number;
  /** In configured order. */
  readonly votes: readonly RoundVote[];
}

/** `quorate:late`: a lock that was not renewed in time, and is not lost yet. The same as the event `late`. */
export type LateMessage = LateLock;

/** `quorate:lost`: a lock ended without a release. */
export interface LostMessage extends LockMessage {
  readonly fencingToken: number | undefined;
  readonly reason: LossReason;
  /** Of one that expired: why it was not extended. */
  readonly cause: LossCause["kind"] | undefined;
  /** Since when a renewal was due that had not begun, ms; undefined if none was. */
  readonly lateMs: number | undefined;
  /** From its grant to now, or to the end of its validity if that is earlier, ms. */
  readonly heldMs: number;
  /** Validity that was left at its last extension, not counting what that added, ms; undefined if there was none. */
  readonly validMs: number | undefined;
}

/** `quorate:node`: the state of a node changed. */
export interface NodeMessage {
  readonly node: string;
  readonly state: ChannelState;
  readonly previous: ChannelState | undefined;
  /** Why, in a few words. */
  readonly detail: string;
  readonly quarantineLeftMs: number;
}

/** `quorate:waiting`: one acquire more, or less, waits in the queue of its manager, in this process. */
export interface WaitingMessage extends LockMessage {
  /** So many wait for the name now, in this manager. */
  readonly count: number;
  readonly change: 1 | -1;
}
