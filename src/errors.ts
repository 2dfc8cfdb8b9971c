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

/** Base of every error that is not about a bad argument or the caller's own abort. */
export abstract class QuorateError extends Error {
  abstract readonly code: QuorateErrorCode;
  /** The lock's name; empty where an error is not about one lock. */
  readonly lockName: string;
  /** Node by node, in configured order; empty where no round was asked. */
  readonly votes: readonly NodeVote[];

  constructor(message: string, lockName: string, votes: readonly NodeVote[], cause?: unknown) {
    const tally = votes.length === 0 ? "" : `: ${tallyText(votes)}`;
    super(message + tally, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.lockName = lockName;
    this.votes = votes;
  }

  /** Where the manual says what to do: a page of the package and its anchor. */
  get help(): string {
    return helpOf(this.code);
  }
}

/** Who holds the lock, as far as the refusing nodes say. */
abstract class HeldError extends QuorateError {
  /** Label of the holder most nodes name, if it gave one. */
  readonly holderLabel: string | undefined;
  /** `shared` if most refusing nodes name readers. */
  readonly holderMode: "exclusive" | "shared";
  /**
   * Longest remaining time of a refusing node's key, ms, of a semaphore's until the first permit
   * ends; holders may renew or release.
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

/** Somebody else holds the lock: refusals alone made a quorum impossible. */
export class LockContendedError extends HeldError {
  readonly code = "QUORATE_CONTENDED";
  constructor(lockName: string, votes: readonly NodeVote[]) {
    super(`"${lockName}" is held`, lockName, votes);
  }
}

/** The lock was held by others for as long as the caller was willing to wait. */
export class WaitTimeoutError extends HeldError {
  readonly code = "QUORATE_WAIT_TIMEOUT";
  /** How long it waited, ms, and how often it tried. */
  readonly waitedMs: number;
  readonly attemptCount: number;
  /**
   * A lock of the same lock manager has the name. A callback that asks for the name that it runs under
   * waits for itself: {@link AcquireOptions.reentrant} joins the lock instead.
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

/** Too few nodes answered to decide: nothing is known about whether the lock is held. */
export class QuorumUnreachableError extends QuorateError {
  readonly code = "QUORATE_UNREACHABLE";
  constructor(lockName: string, votes: readonly NodeVote[]) {
    super(`no quorum for "${lockName}"${firstFault(votes)}`, lockName, votes);
  }
}

/**
 * No node was asked within `waitMs`: the process had so many acquires under way that this one had to wait
 * for all of it. Nothing is known about whether the lock is held.
 */
export class OverloadedError extends QuorateError {
  readonly code = "QUORATE_OVERLOADED";
  /** How long it waited, ms. */
  readonly waitedMs: number;
  constructor(lockName: string, waitedMs: number) {
    const waited = `${Math.round(waitedMs)} ms`;
    super(
      `no node was asked for "${lockName}" within ${waited}: the lock manager had too many other acquires ` +
        "under way. Acquire fewer names at once, or raise waitMs",
      lockName,
      [],
    );
    this.waitedMs = waitedMs;
  }
}

/** A quorum granted, but so late that the lease was (nearly) over. It was rolled back. */
export class ValidityExhaustedError extends QuorateError {
  readonly code = "QUORATE_VALIDITY_EXHAUSTED";
  constructor(lockName: string, votes: readonly NodeVote[]) {
    super(`"${lockName}" was granted too late to be of use`, lockName, votes);
  }
}

/**
 * The lock is not held any more. Also the reason of `lock.signal`. Its `name` is `AbortError` if it was
 * stolen, as in the Web Locks API.
 */
export class LockLostError extends QuorateError {
  readonly code = "QUORATE_LOST";
  /** How it was lost; `released` if the caller released it, `handedOver` if it gave it away. */
  readonly reason: LossReason | "released" | "handedOver";
  /** In `request`: what the callback returned although the lock was lost. */
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
  /** What it came from, in words. */
  readonly why?: string;
  /** The nodes' last votes on extending it. */
  readonly votes?: readonly NodeVote[];
}

const LOSS_TEXT: Readonly<Record<LossReason | "released" | "handedOver", string>> = {
  expired: "was lost: its validity ran out",
  taken: "was lost: a quorum of nodes no longer holds our key",
  closed: "was given up: its lock manager was closed",
  stolen: "was stolen: a request of its lock manager with `steal` took it",
  maxHold: "was given up: it was held for maxHoldMs",
  released: "has been released",
  handedOver: "has been handed over to another process",
};

/** A lock that another process gave away is not there to be adopted. Nobody else's was touched. */
export class NotAdoptableError extends QuorateError {
  readonly code = "QUORATE_NOT_ADOPTABLE";
  /**
   * - `taken`: others have it; somebody adopted it already, or acquired it when it had run out
   * - `expired`: too few nodes still have the giver's key
   */
  readonly reason: "taken" | "expired";
  constructor(lockName: string, reason: "taken" | "expired", votes: readonly NodeVote[]) {
    const why = reason === "taken" ? "others have it" : "it is not held any more";
    super(`"${lockName}" cannot be adopted: ${why}`, lockName, votes);
    this.reason = reason;
  }
}

/** Too few nodes voted within the time that {@link LockManager.ready} waits. They are tried on. */
export class NotReadyError extends QuorateError {
  readonly code = "QUORATE_NOT_READY";
  /** All nodes as they were then, in configured order: `state`, and `detail` says why. */
  readonly nodes: readonly NodeStatus[];
  constructor(nodes: readonly NodeStatus[], neededCount: number, waitedMs: number) {
    const others = nodes.filter(({ state }) => state !== "ready");
    const list = others.map(({ node, state, detail }) => `${node} is ${state}: ${detail}`);
    const votes = `${nodes.length - others.length} of ${nodes.length} nodes vote`;
    const problem = `${votes} after ${Math.round(waitedMs)} ms, ${neededCount} are needed`;
    super(`${problem} (${list.join("; ")}). The nodes are tried on`, "", []);
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
