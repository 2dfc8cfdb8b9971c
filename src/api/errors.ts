import type { LossReason } from "../coordinator/loss.js";
import type { NodeStatus } from "./events.js";
import { detailOf, errorText, firstOf, quoted, shortened, type ErrorText } from "./error-text.js";
import { helpOf } from "./help.js";
import { commonLabel, firstFault, isOpenBySilence, tallyText, type NodeVote } from "./tally.js";

/** Stable names of the failures. Match on `error.code`: it also works across module copies. */
export type QuorateErrorCode =
  | "QUORATE_CONTENDED"
  | "QUORATE_WAIT_TIMEOUT"
  | "QUORATE_QUEUE_FULL"
  | "QUORATE_UNREACHABLE"
  | "QUORATE_SPLIT"
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

/**
 * Base of all errors except those for invalid arguments and for the caller's own abort. A message has at most 240
 * characters; the rest is in the fields.
 */
export abstract class QuorateError extends Error {
  abstract readonly code: QuorateErrorCode;
  /** Name of the lock; empty if the error is not about one lock. */
  readonly lockName: string;
  /** The vote of each node, in configured order; empty if no round took place. */
  readonly votes: readonly NodeVote[];

  constructor(text: ErrorText, lockName: string, votes: readonly NodeVote[], cause?: unknown) {
    const tally = votes.length === 0 ? "" : tallyText(votes);
    super(errorText(text, tally), cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.lockName = lockName;
    this.votes = votes;
  }

  /** Where the documentation says what to do: a page of the package and its anchor. */
  get help(): string {
    return helpOf(this.code);
  }
}

/** How somebody tried to get a lock that others hold. */
export interface Tried {
  readonly waitedMs: number;
  readonly attemptCount: number;
  readonly isHeldHere: boolean;
  /** Whether a call in a callback that has the lock could join it. */
  readonly isReentrant: boolean;
  /** The largest clock margin that a client of the nodes has on record, ms. */
  readonly marginMs: number;
  /** Of several names, those that nodes named as held. */
  readonly heldNames: readonly string[];
}

const AT_ONCE: Tried = {
  waitedMs: 0,
  attemptCount: 1,
  isHeldHere: false,
  isReentrant: false,
  marginMs: 0,
  heldNames: [],
};

/**
 * Others hold the lock, according to the refusing nodes: at once (code `QUORATE_CONTENDED`), or during all of `waitMs`
 * (`QUORATE_WAIT_TIMEOUT`), or while too many wait for it (`QUORATE_QUEUE_FULL`).
 */
export abstract class LockHeldError extends QuorateError {
  /** Label of the holder that most nodes report, if it has one. */
  readonly holderLabel: string | undefined;
  /** `shared` if most refusing nodes report readers. */
  readonly holderMode: "exclusive" | "shared";
  /**
   * How much of its lease the holder has left, by the nodes' clocks, ms: {@link freeInMs} without the largest clock margin
   * (`clockStepMs`) that a client of the nodes has on record. Holders may renew or release.
   */
  readonly remainingMs: number;
  /**
   * When the name is free at the latest, ms, unless the holder renews: how long the refusing nodes keep its key. For a
   * semaphore, until the first permit expires. Made for a `Retry-After`.
   */
  readonly freeInMs: number;
  /**
   * The names that are held, of several: of each refusing node one, the first in order. Otherwise the only name.
   */
  readonly heldNames: readonly string[];
  /** Time from the call to this error, rounded, ms: also that of an attempt that did not wait. */
  readonly waitedMs: number;
  /** Number of attempts. */
  readonly attemptCount: number;
  /**
   * The same lock manager holds the lock. A callback that asks for the name that it runs under waits for
   * itself: {@link AcquireOptions.reentrant} joins the lock instead.
   */
  readonly isHeldHere: boolean;
  /** How many wait for the lock at least; only where it was refused for that. */
  declare readonly waitingCount?: number;
  /** How many may wait for the lock (`maxWaiters`); only where it was refused for that. */
  declare readonly maxWaiters?: number;

  /** @param text with the holder, in which `held by …` and for how long belong */
  constructor(
    text: (held: string) => ErrorText,
    lockName: string,
    votes: readonly NodeVote[],
    { waitedMs, attemptCount, isHeldHere, marginMs, heldNames }: Tried,
  ) {
    const refusals = votes.filter(({ vote }) => vote === "refused");
    const readCount = refusals.filter((vote) => vote.holderMode === "shared").length;
    const holderMode = 2 * readCount > refusals.length ? "shared" : "exclusive";
    const holderLabel = holderMode === "shared" ? undefined : commonLabel(votes);
    const freeInMs = Math.max(0, ...votes.map((vote) => vote.freeInMs ?? 0));
    const takenPermits = Math.max(0, ...refusals.map((vote) => vote.takenPermits ?? 0));
    const several = takenPermits > 0 ? `${takenPermits} that have a permit` : undefined;
    const holders = holderMode === "shared" ? "readers" : several;
    const amongThem = isHeldHere && holders !== undefined ? `${holders}, here too` : holders;
    // What it calls itself matters less: the text has to be short.
    const holder = amongThem ?? (isHeldHere ? "this lock manager" : holderLabel);
    const by = holder === undefined ? "" : ` by ${shortened(holder)}`;
    super(text(`held${by} (free in ${freeInMs} ms unless renewed)`), lockName, votes);
    this.holderLabel = holderLabel;
    this.holderMode = holderMode;
    this.remainingMs = Math.max(0, freeInMs - marginMs);
    this.freeInMs = freeInMs;
    this.heldNames = heldNames.length === 0 ? [lockName] : heldNames;
    this.waitedMs = Math.round(waitedMs);
    this.attemptCount = attemptCount;
    this.isHeldHere = isHeldHere;
  }
}

/** The names of a set that are held, if nodes named any. */
function inSet({ heldNames }: Tried): string | undefined {
  return heldNames.length === 0 ? undefined : quoted(heldNames.join(", "));
}

/** The lock is held: refusals alone made a quorum impossible. */
export class LockContendedError extends LockHeldError {
  readonly code = "QUORATE_CONTENDED";
  constructor(lockName: string, votes: readonly NodeVote[], tried: Tried = AT_ONCE) {
    const remedy = "Wait for it with `waitMs`, or use `tryAcquire`";
    const of = inSet(tried);
    const name = of === undefined ? quoted(lockName) : `${of} of ${quoted(lockName)}`;
    const text = (held: string) => ({ happened: `${name} is ${held}`, remedy });
    super(text, lockName, votes, tried);
  }
}

/** The lock was not acquired within `waitMs`, because other holders had it. */
export class WaitTimeoutError extends LockHeldError {
  readonly code = "QUORATE_WAIT_TIMEOUT";
  constructor(lockName: string, votes: readonly NodeVote[], tried: Tried) {
    const { waitedMs, attemptCount, isHeldHere, isReentrant } = tried;
    const attempts = attemptCount === 1 ? "1 attempt" : `${attemptCount} attempts`;
    const waited = `timed out after ${Math.round(waitedMs)} ms (${attempts}) waiting for ${quoted(lockName)}`;
    // Whether a callback asked under its own lock or an independent task did, nobody knows here.
    const ifHere = isReentrant
      ? "Raise `waitMs`; within its own callback, pass `reentrant: true`"
      : "Release it sooner, or raise `waitMs`";
    const remedy = isHeldHere ? ifHere : "Try again later, or raise `waitMs`";
    const text = (held: string) => ({
      happened: `${waited}; ${inSet(tried) ?? "it"} is ${held}`,
      remedy,
    });
    super(text, lockName, votes, tried);
  }
}

/** The lock is held, and at least `maxWaiters` wait for it. */
export class QueueFullError extends LockHeldError {
  readonly code = "QUORATE_QUEUE_FULL";
  override readonly waitingCount: number;
  override readonly maxWaiters: number;
  constructor(
    lockName: string,
    votes: readonly NodeVote[],
    tried: Tried,
    queue: { readonly waitingCount: number; readonly maxWaiters: number },
  ) {
    const { waitingCount, maxWaiters } = queue;
    const waiting = `${waitingCount} wait for ${quoted(lockName)} (\`maxWaiters\` is ${maxWaiters})`;
    const remedy = "Try again later, or raise `maxWaiters`";
    const text = (held: string) => ({
      happened: `${waiting}; ${inSet(tried) ?? "it"} is ${held}`,
      remedy,
    });
    super(text, lockName, votes, tried);
    this.waitingCount = waitingCount;
    this.maxWaiters = maxWaiters;
  }
}

/**
 * No quorum of nodes answered, or none in time, so nothing is known about who holds the lock: too few nodes voted
 * (code `QUORATE_UNREACHABLE`), several clients kept each other from it (`QUORATE_SPLIT`), this process had too many acquires in flight (`QUORATE_OVERLOADED`), or the nodes
 * granted it too late (`QUORATE_VALIDITY_EXHAUSTED`).
 */
export abstract class NoQuorumError extends QuorateError {}

/** What helps where several clients ask at the same moment. */
const ASK_AGAIN = "Try again, or wait for it with `waitMs`";

/**
 * Too few nodes answered to decide whether the lock is held. From `lock.extend()`: the lock is still held for
 * `lock.remainingMs`.
 */
export class QuorumUnreachableError extends NoQuorumError {
  readonly code = "QUORATE_UNREACHABLE";
  constructor(lockName: string, votes: readonly NodeVote[]) {
    const happened = `no quorum for ${quoted(lockName)}${firstFault(votes)}`;
    const remedy = isOpenBySilence(votes)
      ? ASK_AGAIN
      : "Check the nodes: `error.votes` and `locks.nodes` have the reason for each";
    super({ happened, remedy }, lockName, votes);
  }
}

/**
 * Nobody held the name: until the end, several clients that asked at the same moment had some of the nodes each.
 * Trying again helps.
 */
export class SplitError extends NoQuorumError {
  readonly code = "QUORATE_SPLIT";
  constructor(lockName: string, votes: readonly NodeVote[]) {
    const happened = `no quorum for ${quoted(lockName)}: several clients ask for it at once`;
    super({ happened, remedy: ASK_AGAIN }, lockName, votes);
  }
}

/**
 * No node was asked within `waitMs`, because the process had too many acquires in flight. Whether the lock is
 * held is unknown.
 */
export class OverloadedError extends NoQuorumError {
  readonly code = "QUORATE_OVERLOADED";
  /** Time from the call to this error, rounded, ms. */
  readonly waitedMs: number;
  constructor(lockName: string, waitedMs: number) {
    const asked = `no node was asked for ${quoted(lockName)} within ${Math.round(waitedMs)} ms`;
    const happened = `${asked}: the lock manager had too many other acquires in flight`;
    super({ happened, remedy: "Acquire fewer names at once, or raise `waitMs`" }, lockName, []);
    this.waitedMs = Math.round(waitedMs);
  }
}

/**
 * A quorum granted the lock, but so late that (almost) no validity was left; or, with fencing, other locks were given
 * higher tokens before its own was stored. It was rolled back.
 */
export class ValidityExhaustedError extends NoQuorumError {
  readonly code = "QUORATE_VALIDITY_EXHAUSTED";
  constructor(lockName: string, votes: readonly NodeVote[]) {
    const happened = `${quoted(lockName)} was granted too late to be useful`;
    const remedy = "Raise `ttlMs`, or find out why nodes or this process are slow";
    super({ happened, remedy }, lockName, votes);
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
    const { happened, remedy } = detail.text ?? LOSS_TEXT[reason];
    const text = { happened: `${quoted(lockName)} ${happened}`, remedy };
    super(text, lockName, detail.votes ?? [], outcome.cause);
    Object.defineProperty(this, "detail", { value: detail, enumerable: false });
    if (reason === "stolen") this.name = "AbortError";
    this.reason = reason;
    if ("result" in outcome) this.result = outcome.result;
  }
}

interface LossDetail {
  /** What happened to the lock, after its name. */
  readonly text?: ErrorText;
  /** The nodes' last votes on extending it. */
  readonly votes?: readonly NodeVote[] | undefined;
}

const LOSS_TEXT: Readonly<Record<LossReason | "released" | "handedOver", ErrorText>> = {
  expired: {
    happened: "was lost: its validity expired",
    remedy: "Stop the work that it protects, and acquire it again",
  },
  taken: {
    happened: "was lost: a quorum of nodes no longer holds our key",
    remedy: "Stop the work, and look for a flush, an eviction or a forced release",
  },
  closed: {
    happened: "was lost: its lock manager was closed",
    remedy: "To let work finish first, close with `drainMs`",
  },
  stolen: {
    happened: "was stolen: a request of its lock manager with `steal` took it",
    remedy: "Stop the work that it protects",
  },
  maxHold: {
    happened: "was lost: it was held for `maxHoldMs`",
    remedy: "Finish sooner, or raise `maxHoldMs`",
  },
  released: {
    happened: "has been released",
    remedy: "Release it after the work that it protects",
  },
  handedOver: {
    happened: "has been handed over to another process",
    remedy: "Use it there, or acquire it again",
  },
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
    const happened = `${quoted(lockName)} cannot be adopted: ${why}`;
    super({ happened, remedy: "Acquire it instead" }, lockName, votes);
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
    const list = firstOf(
      others.map(({ node, state, detail }) => detailOf(`${node} is ${state}`, detail)),
    );
    const votes = `${nodes.length - others.length} of ${nodes.length} nodes vote`;
    const problem = `${votes} after ${Math.round(waitedMs)} ms, ${neededCount} are needed`;
    const remedy = "Check the nodes, or wait: connecting continues, and `error.nodes` has the rest";
    super({ happened: `${problem} (${list})`, remedy }, "", []);
    this.nodes = nodes;
  }
}

/** The lock manager is closed or closing. */
export class ClosedError extends QuorateError {
  readonly code = "QUORATE_CLOSED";
  constructor(lockName = "") {
    const happened = "the lock manager is closed";
    super({ happened, remedy: "Acquire before `close()`, or create another" }, lockName, []);
  }
}
