import type { LossReason } from "./coordinator/loss.js";
import type { NodeStatus } from "./events.js";
import type { LockLayout } from "./lock-layout.js";
import type { FaultKind, Vote } from "./protocol/operation.js";
import { takenCount } from "./protocol/slots.js";

/** One node's part in a failure. */
export interface NodeVote {
  /** `host:port` of the node, as configured. */
  readonly node: string;
  /** `none`: it had not answered when the outcome was decided. */
  readonly vote: "granted" | "refused" | "fault" | "none";
  /** Why a fault is one. */
  readonly fault?: FaultKind;
  /** The holder's label, where a node refused and the holder gave one. */
  readonly label?: string;
  /** Where a node refused because of readers, whom no label names. */
  readonly holderMode?: "shared";
  /** Where a node refused a permit: how many of them are taken there. */
  readonly takenPermits?: number;
  /** What is left of the holder's key on that node, ms; of the reader's that lives longest. */
  readonly remainingMs?: number;
  /** The fault in words. */
  readonly message?: string;
}

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
    const waited = `${Math.round(waitedMs)} ms and ${attemptCount} attempts`;
    const here = isHeldHere ? " in a lock manager that has it (`reentrant` joins one's own)" : "";
    super(`"${lockName}" could not be had in ${waited}${here}; it is held`, lockName, votes);
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

/** The key of the lock is somebody's data; it was not touched. */
export class ForeignKeyError extends QuorateError {
  readonly code: "QUORATE_FOREIGN_KEY" | "QUORATE_MIXED_LAYOUT" = "QUORATE_FOREIGN_KEY";
  /** Of several names: the key of the one that is in the way. */
  readonly key: string;
  /** What stands there: a type of Redis, or a layout. */
  readonly found: string;

  constructor(
    lockName: string,
    key: string,
    found: string,
    votes: readonly NodeVote[],
    message = `key "${key}" holds data that is no lock (${found})`,
  ) {
    super(message, lockName, votes);
    this.key = key;
    this.found = found;
  }
}

/**
 * Somebody locks the same name in another layout; that lock was not touched. Whether it is held now
 * does not matter: two who lay a lock out differently do not agree about when it is free.
 */
export class MixedLayoutError extends ForeignKeyError {
  override readonly code = "QUORATE_MIXED_LAYOUT";
  declare readonly found: LockLayout;
  /** In which layout it was to be locked. */
  readonly expected: LockLayout;

  constructor(
    lockName: string,
    key: string,
    layouts: { readonly found: LockLayout; readonly expected: LockLayout },
    votes: readonly NodeVote[],
  ) {
    const { found, expected } = layouts;
    const message = `key "${key}" holds a lock in the layout "${found}", not "${expected}"`;
    super(lockName, key, found, votes, message);
    this.expected = expected;
  }
}

/**
 * The name is a semaphore of another number of permits on the nodes, held by others; they were not
 * touched. All who use a name have to agree on its permits: to change them, let all of them go first.
 */
export class PermitsMismatchError extends QuorateError {
  readonly code = "QUORATE_PERMITS_MISMATCH";
  /** As the caller has it. */
  readonly permits: number;
  /** As it stands on the nodes. */
  readonly foundPermits: number;
  constructor(lockName: string, permits: number, foundPermits: number, votes: readonly NodeVote[]) {
    const found = `a semaphore of ${foundPermits} permits on the nodes`;
    super(`"${lockName}" is ${found}, not of ${permits}`, lockName, votes);
    this.permits = permits;
    this.foundPermits = foundPermits;
  }
}

/** Nodes are set up so that they must not vote: credentials, role, eviction, a server twice. */
export class MisconfiguredError extends QuorateError {
  readonly code = "QUORATE_MISCONFIGURED";
  /** From {@link LockManager.ready}, which asks for no votes: all nodes, in configured order. */
  readonly nodes: readonly NodeStatus[];
  constructor(lockName: string, votes: readonly NodeVote[], nodes: readonly NodeStatus[] = []) {
    const list = [
      ...nodes.flatMap(({ node, state, detail }) =>
        state === "misconfigured" ? `${node}: ${detail}` : [],
      ),
      ...votes.flatMap(({ node, fault, message }) =>
        fault === "misconfigured" ? `${node}: ${message}` : [],
      ),
    ].join("; ");
    super(`nodes are misconfigured (${list})`, lockName, votes);
    this.nodes = nodes;
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

/**
 * - `self`: without `reentrant: true` the acquire would wait for the caller's own lock
 * - `upgrade`: a lock is joined as what it is; the exclusive one would wait for the shared one, one of
 *   another owner for that of the first
 * - `partial`: of the names that were asked for the lock has some, but not all
 * - `outside`: `acquire` and `tryAcquire` join, and there is nothing to join
 */
export type ReentryProblem = "self" | "upgrade" | "partial" | "outside";

/** The lock that the caller's async context has already. */
export interface HeldAlready {
  readonly names: readonly string[];
  readonly mode: "exclusive" | "shared";
  readonly fencingToken: number | undefined;
}

/** The caller's async context cannot join the lock that it has, or has none. Nothing was sent. */
export class ReentryError extends QuorateError {
  readonly code = "QUORATE_REENTRY";
  readonly problem: ReentryProblem;
  readonly held: HeldAlready | undefined;
  constructor(lockName: string, problem: ReentryProblem, held?: HeldAlready) {
    super(REENTRY_TEXT[problem](lockName, held), lockName, []);
    this.problem = problem;
    this.held = held;
  }
}

const REENTRY_TEXT: Readonly<
  Record<ReentryProblem, (lockName: string, held: HeldAlready | undefined) => string>
> = {
  self: (name, held) =>
    `"${name}" would wait for itself: this async context holds ${inWords(held)}. ` +
    "Expected `reentrant: true` to join it, or `reentrant: false` for a lock of its own",
  upgrade: (name, held) =>
    `"${name}" cannot be joined as another kind of lock: this async context holds ${inWords(held)}. ` +
    "Expected the same mode, owner and layout; for others, release it first",
  partial: (name, held) =>
    `"${name}" cannot be joined: this async context holds ${inWords(held)}, and not the rest. ` +
    "Expected names of that lock only, or none of them",
  outside: (name) =>
    `"${name}" is not held by this async context, and only \`request\` can begin one. ` +
    "Expected to run within the callback of a `request` with `reentrant: true`",
};

function inWords(held: HeldAlready | undefined): string {
  if (held === undefined) return "nothing";
  const { names, mode, fencingToken } = held;
  return `"${names.join(", ")}" (${mode}, fencing token ${fencingToken ?? "none"})`;
}

/** The lock manager is closed or closing. */
export class ClosedError extends QuorateError {
  readonly code = "QUORATE_CLOSED";
  constructor(lockName = "") {
    super("the lock manager is closed", lockName, []);
  }
}

/** Votes by node index as they stand in an error. */
export function nodeVotes(
  names: readonly string[],
  votes: readonly (Vote | undefined)[],
): NodeVote[] {
  return names.map((node, index) => {
    const vote = votes[index];
    if (vote === undefined) return { node, vote: "none" };
    if (vote.kind === "granted") return { node, vote: "granted" };
    if (vote.kind === "fault") {
      return { node, vote: "fault", fault: vote.fault, message: vote.message };
    }
    const label = vote.label === undefined ? {} : { label: vote.label };
    const mode = vote.isShared === true ? ({ holderMode: "shared" } as const) : {};
    const { remainingMs, takenSlots } = vote;
    const taken = takenSlots === undefined ? {} : { takenPermits: takenCount(takenSlots) };
    return { node, vote: "refused", remainingMs, ...label, ...mode, ...taken };
  });
}

const FAULT_TEXT: Readonly<Record<FaultKind, string>> = {
  timeout: "timed out",
  late: "not sent in time",
  disconnected: "disconnected",
  suspected: "not answering",
  quarantined: "quarantined",
  misconfigured: "misconfigured",
  server: "failed",
  closed: "closed",
};

/** `2/5 granted, 1 refused, 2 timed out` */
export function tallyText(votes: readonly NodeVote[]): string {
  const counts = new Map<string, number>();
  for (const { vote, fault } of votes) {
    // A node that was not waited for any more says nothing about itself.
    if (vote === "granted" || vote === "none") continue;
    const word = fault === undefined ? "refused" : FAULT_TEXT[fault];
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const grantedCount = votes.filter(({ vote }) => vote === "granted").length;
  const rest = [...counts].map(([word, count]) => `${count} ${word}`);
  return [`${grantedCount}/${votes.length} granted`, ...rest].join(", ");
}

/** The first fault in words: most often the others are the same. */
function firstFault(votes: readonly NodeVote[]): string {
  const first = votes.find(({ message }) => message !== undefined);
  return first === undefined ? "" : ` (${first.node}: ${first.message})`;
}

function commonLabel(votes: readonly NodeVote[]): string | undefined {
  const labels = votes.flatMap(({ label }) => label ?? []);
  const count = (label: string): number => labels.filter((other) => other === label).length;
  return labels.toSorted((a, b) => count(b) - count(a))[0];
}
