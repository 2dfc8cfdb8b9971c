import type { LossReason } from "./coordinator/loss.js";
import type { NodeStatus } from "./events.js";
import { helpOf } from "./help.js";
import { commonLabel, firstFault, tallyText, type NodeVote } from "./tally.js";

/** Stable names of the failures. Match on `error.code`: it also works across module copies. */
export type QuorateErrorCode =
  | "QUORATE_CONTENDED"
  | "QUORATE_WAIT_TIMEOUT"
  | "QUORATE_UNREACHABLE"
  | "QUORATE_OVERLOADED"
  | "QUORATE_VALIDITY_EXHAUSTED"
  | "QUORATE_LOST"
  | "QUORATE_NOT_ADOPTABLE"
  | "QUORATE_FOREIGN_KEY"
  | "QUORATE_MIXED_LAYOUT"
  | "QUORATE_PERMITS_MISMATCH"
  | "QUORATE_MISCONFIGURED"
  | "QUORATE_NOT_READY"
  | "QUORATE_CLOSED"
  | "QUORATE_REENTRY"
  | "QUORATE_STALE_TOKEN"
  | "QUORATE_MALFORMED_TOKEN";

/** Base of all errors except those for invalid arguments and for the caller's own abort. */
export abstract class QuorateError extends Error {
  abstract readonly code: QuorateErrorCode;
  /** Name of the lock; empty if the error is not about one lock. */
  readonly lockName: string;
  /** The vote of each node, in configured order; empty if no round took place. */
  readonly votes: readonly NodeVote[];

  constructor(message: string, lockName: string, votes: readonly NodeVote[], cause?: unknown) {
    const tally = votes.length === 0 ? "" : `: ${tallyText(votes)}`;
    super(message + tally, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.lockName = lockName;
    this.votes = votes;
  }

  /** Where the documentation says what to do: a page of the package and its anchor. */
  get help(): string {
    return helpOf(this.code);
  }
}

/** The holder, according to the refusing nodes. */
abstract class HeldError extends QuorateError {
  /** Label of the holder that most nodes report, if it has one. */
  readonly holderLabel: string | undefined;
  /** `shared` if most refusing nodes report readers. */
  readonly holderMode: "exclusive" | "shared";
  /**
   * Longest remaining time of a refusing node's key, ms; for a semaphore, until the first permit expires.
   * Holders may renew or release.
   */
  readonly remainingMs: number;

  constructor(message: string, lockName: string, votes: readonly NodeVote[]) {
    const refusals = votes.filter(({ vote }) => vote === "refused");
    const readCount = refusals.filter((vote) => vote.holderMode === "shared").length;
    const holderMode = 2 * readCount > refusals.length ? "shared" : "exclusive";
    const holderLabel = holderMode === "shared" ? undefined : commonLabel(votes);
    const remainingMs = Math.max(0, ...votes.map((vote) => vote.remainingMs ?? 0));
    const takenPermits = Math.max(0, ...refusals.map((vote) => vote.takenPermits ?? 0));
    const holders = takenPermits > 0 ? `${takenPermits} that have a permit` : holderLabel;
    const holder = holderMode === "shared" ? "readers" : holders;
    const by = holder === undefined ? "" : ` by ${holder}`;
    super(`${message}${by} (at most ${remainingMs} ms left unless renewed)`, lockName, votes);
    this.holderLabel = holderLabel;
    this.holderMode = holderMode;
    this.remainingMs = remainingMs;
  }
}

/** The lock is held: refusals alone made a quorum impossible. */
export class LockContendedError extends HeldError {
  readonly code = "QUORATE_CONTENDED";
  constructor(lockName: string, votes: readonly NodeVote[]) {
    super(`"${lockName}" is held`, lockName, votes);
  }
}

/** The lock was not acquired within `waitMs`, because other holders had it. */
export class WaitTimeoutError extends HeldError {
  readonly code = "QUORATE_WAIT_TIMEOUT";
  /** Time waited, ms, and number of attempts. */
  readonly waitedMs: number;
  readonly attemptCount: number;
  /**
   * The same lock manager holds the lock. A callback that asks for the name that it runs under waits for
   * itself: {@link AcquireOptions.reentrant} joins the lock instead.
   */
  readonly isHeldHere: boolean;
  constructor(
    lockName: string,
    votes: readonly NodeVote[],
    waitedMs: number,
    attemptCount: number,
    isHeldHere = false,
  ) {
    const attempts = attemptCount === 1 ? "1 attempt" : `${attemptCount} attempts`;
    const waited = `timed out after ${Math.round(waitedMs)} ms (${attempts}) waiting for "${lockName}"`;
    const here = isHeldHere
      ? ", which this lock manager already holds (to re-enter it, pass `reentrant: true`)"
      : "";
    super(`${waited}${here}; it is held`, lockName, votes);
    this.waitedMs = waitedMs;
    this.attemptCount = attemptCount;
    this.isHeldHere = isHeldHere;
  }
}

/** Too few nodes answered to decide whether the lock is held; or several clients kept each other from a quorum. */
export class QuorumUnreachableError extends QuorateError {
  readonly code = "QUORATE_UNREACHABLE";
  /**
   * - `unreachable`: too few nodes answered
   * - `split`: they did, and nobody held the name: until the end, several clients that asked at the same moment had
   *   some of the nodes each. Trying again helps
   */
  readonly reason: "unreachable" | "split";
  constructor(
    lockName: string,
    votes: readonly NodeVote[],
    reason: "unreachable" | "split" = "unreachable",
  ) {
    const why = reason === "split" ? "; several clients ask for it at once" : firstFault(votes);
    super(`no quorum for "${lockName}"${why}`, lockName, votes);
    this.reason = reason;
  }
}

/**
 * No node was asked within `waitMs`, because the process had too many acquires in flight. Whether the lock is
 * held is unknown.
 */
export class OverloadedError extends QuorateError {
  readonly code = "QUORATE_OVERLOADED";
  /** Time waited, ms. */
  readonly waitedMs: number;
  constructor(lockName: string, waitedMs: number) {
    const waited = `${Math.round(waitedMs)} ms`;
    super(
      `no node was asked for "${lockName}" within ${waited}: the lock manager had too many other acquires ` +
        "in flight. Acquire fewer names at once, or raise waitMs",
      lockName,
      [],
    );
    this.waitedMs = waitedMs;
  }
}

/**
 * A quorum granted the lock, but so late that (almost) no validity was left; or, with fencing, other locks were given
 * higher tokens before its own was stored. It was rolled back.
 */
export class ValidityExhaustedError extends QuorateError {
  readonly code = "QUORATE_VALIDITY_EXHAUSTED";
  constructor(lockName: string, votes: readonly NodeVote[]) {
    super(`"${lockName}" was granted too late to be useful`, lockName, votes);
  }
}

/**
 * The lock is no longer held. Also the reason of `lock.signal`. Its `name` is `AbortError` if it was stolen, as
 * in the Web Locks API.
 */
export class LockLostError extends QuorateError {
  readonly code = "QUORATE_LOST";
  /** The reason; `released` if the caller released it, `handedOver` if the caller handed it over. */
  readonly reason: LossReason | "released" | "handedOver";
  /** In `request`: the callback's return value. */
  declare readonly result?: unknown;
  /** For a copy with another outcome. @internal */
  declare readonly detail: LossDetail;

  constructor(
    lockName: string,
    reason: LossReason | "released" | "handedOver",
    outcome: { readonly cause?: unknown; readonly result?: unknown } = {},
    detail: LossDetail = {},
  ) {
    const why = detail.why === undefined ? LOSS_TEXT[reason] : `was lost: ${detail.why}`;
    super(`"${lockName}" ${why}`, lockName, detail.votes ?? [], outcome.cause);
    Object.defineProperty(this, "detail", { value: detail, enumerable: false });
    if (reason === "stolen") this.name = "AbortError";
    this.reason = reason;
    if ("result" in outcome) this.result = outcome.result;
  }
}

interface LossDetail {
  /** The cause, in words. */
  readonly why?: string;
  /** The nodes' last votes on extending it. */
  readonly votes?: readonly NodeVote[];
}

const LOSS_TEXT: Readonly<Record<LossReason | "released" | "handedOver", string>> = {
  expired: "was lost: its validity expired",
  taken: "was lost: a quorum of nodes no longer holds our key",
  closed: "was lost: its lock manager was closed",
  stolen: "was stolen: a request of its lock manager with `steal` took it",
  maxHold: "was lost: it was held for maxHoldMs",
  released: "has been released",
  handedOver: "has been handed over to another process",
};

/** A lock that another process handed over can no longer be adopted. No other lock was changed. */
export class NotAdoptableError extends QuorateError {
  readonly code = "QUORATE_NOT_ADOPTABLE";
  /**
   * - `taken`: another client holds it; it was already adopted, or acquired after it had expired
   * - `expired`: too few nodes still have the giver's key
   */
  readonly reason: "taken" | "expired";
  constructor(lockName: string, reason: "taken" | "expired", votes: readonly NodeVote[]) {
    const why = reason === "taken" ? "another client holds it" : "it is no longer held";
    super(`"${lockName}" cannot be adopted: ${why}`, lockName, votes);
    this.reason = reason;
  }
}

/** Too few nodes voted within the time that {@link LockManager.ready} waits. Connecting continues. */
export class NotReadyError extends QuorateError {
  readonly code = "QUORATE_NOT_READY";
  /** All nodes at that time, in configured order, with their `state` and, in `detail`, the reason. */
  readonly nodes: readonly NodeStatus[];
  constructor(nodes: readonly NodeStatus[], neededCount: number, waitedMs: number) {
    const others = nodes.filter(({ state }) => state !== "ready");
    const list = others.map(({ node, state, detail }) => `${node} is ${state}: ${detail}`);
    const votes = `${nodes.length - others.length} of ${nodes.length} nodes vote`;
    const problem = `${votes} after ${Math.round(waitedMs)} ms, ${neededCount} are needed`;
    super(`${problem} (${list.join("; ")}). Connecting continues`, "", []);
    this.nodes = nodes;
  }
}

/** The lock manager is closed or closing. */
export class ClosedError extends QuorateError {
  readonly code = "QUORATE_CLOSED";
  constructor(lockName = "") {
    super("the lock manager is closed", lockName, []);
  }
}
