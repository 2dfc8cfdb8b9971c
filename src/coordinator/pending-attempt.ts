import type { LockKind } from "../protocol/lock-kind.js";
import type { Vote, Votes } from "../protocol/operation.js";
import { toleratedCount } from "../protocol/verdict.js";
import type { Entrant, Urgency } from "./admission.js";
import { NEWCOMER, type AcquireMode } from "./acquire-mode.js";
import { unaskedFailure } from "../protocol/attempt-failure.js";
import { Attempt, type AttemptListener, type AttemptOutcome } from "./attempt.js";
import type { Contest } from "./contest.js";
import type { Context } from "./context.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { Sleeper } from "./schedule.js";

export interface PendingAttemptListener extends AttemptListener {
  /** Called right before the first send, perhaps from within the constructor. False cancels it. */
  onBegin?(nowMs: number): boolean;
}

export interface Entry {
  readonly urgency?: Urgency;
  /** Lease clock, ms: if it has not begun by then, it never will, and fails as `queued`. */
  readonly beginUntilMs?: number;
  /** No retry if this process is too busy to ask in time: the ownerId is given, and each serves one attempt. */
  readonly beginsOnce?: boolean;
  /** Of its acquire; undefined if the attempt gives up where the nodes are split. */
  readonly contest?: Contest | undefined;
}

/** How often one attempt is retried because this process was too busy to send it in time. */
const MAX_DELAYS = 8;

/** An attempt from the moment it is requested; it begins when it is admitted. */
export class PendingAttempt implements Entrant, AttemptListener, Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;

  readonly #context: Context;
  readonly #keys: LockKind;
  readonly #settings: LeaseSettings;
  readonly #listener: PendingAttemptListener;
  readonly #mode: AcquireMode;
  readonly #beginUntilMs: number;
  readonly #beginsOnce: boolean;
  readonly #contest: Contest | undefined;
  #attempt: Attempt | undefined;
  #beganMs: number | undefined;
  #delayCount = 0;
  #isOver = false;

  constructor(
    context: Context,
    keys: LockKind,
    settings: LeaseSettings,
    listener: PendingAttemptListener,
    mode: AcquireMode = NEWCOMER,
    entry: Entry = {},
  ) {
    const { urgency = "plain", beginUntilMs = Number.POSITIVE_INFINITY, beginsOnce } = entry;
    this.#context = context;
    this.#keys = keys;
    this.#settings = settings;
    this.#listener = listener;
    this.#mode = mode;
    this.#beginUntilMs = beginUntilMs;
    // The lock that is handed or taken over is given up with the first attempt.
    this.#beginsOnce = beginsOnce === true || mode.as === "passOn" || mode.as === "adoption";
    this.#contest = entry.contest;
    this.#enter(urgency);
  }

  /** Nodes have been asked, or it was cancelled right before that. */
  get hasBegun(): boolean {
    return this.#beganMs !== undefined;
  }

  /** Nodes are asked only for the lock that its owner may hold. */
  get isJoiner(): boolean {
    return this.#mode.as === "joiner";
  }

  /** What the nodes still answer only says why it fails. */
  get isLost(): boolean {
    return this.#attempt?.isRolledBack === true;
  }

  /** It is held back until a quorum answers; other attempts may begin before it. */
  get isResting(): boolean {
    return this.#context.admission.isResting(this);
  }

  /** Called by the admission. The first send is now, not when the attempt was requested. */
  begin(): void {
    const { clock, schedule } = this.#context;
    schedule.remove(this);
    const nowMs = clock.now();
    this.#beganMs = nowMs;
    if (this.#listener.onBegin?.(nowMs) === false) this.abort();
    if (this.#isOver) return;
    const [context, keys, settings, mode] = [this.#context, this.#keys, this.#settings, this.#mode];
    this.#attempt = new Attempt(context, keys, settings, nowMs, this, mode, this.#contest);
  }

  /** Nodes have reserved the name for it. */
  hurry(): void {
    if (this.#isOver) return;
    if (this.hasBegun) this.#attempt?.hurry();
    else this.#context.admission.hurry(this);
  }

  /** Gives up: rolls back what was sent and never settles. No effect once settled. */
  abort(): void {
    if (this.#isOver) return;
    this.#attempt?.abort();
    this.#end("aborted");
  }

  /** Called by the attempt. */
  onOutcome(outcome: AttemptOutcome): void {
    if (outcome.kind === "unreachable" && isOwnDelay(outcome.votes) && this.#beginAgain()) return;
    const isUnanswered = outcome.kind === "unreachable" && outcome.askAgainInMs === undefined;
    this.#end(isUnanswered ? "unanswered" : "answered");
    this.#listener.onOutcome(outcome);
  }

  /** Called by the schedule: it is too late to begin. */
  wake(): void {
    if (this.#isOver || this.hasBegun) return;
    this.#end("aborted");
    this.#listener.onOutcome(unaskedFailure("queued", this.#context.nodes.length));
  }

  #enter(urgency: Urgency): void {
    const { admission, schedule } = this.#context;
    admission.enter(this, urgency);
    if (!this.hasBegun && this.#beginUntilMs < Number.POSITIVE_INFINITY) {
      schedule.set(this, this.#beginUntilMs);
    }
  }

  /** The nodes were not asked in time, so the attempt says nothing about them. */
  #beginAgain(): boolean {
    if (this.#beginsOnce) return false;
    if (this.#delayCount++ === MAX_DELAYS || this.#beganMs === undefined) return false;
    const { admission } = this.#context;
    admission.onEnd("answered", this.#beganMs, this.#settings.nodeTimeoutMs);
    this.#beganMs = undefined;
    this.#attempt = undefined;
    this.#enter("plain");
    return true;
  }

  #end(how: "answered" | "unanswered" | "aborted"): void {
    this.#isOver = true;
    this.#context.schedule.remove(this);
    const { admission } = this.#context;
    if (this.#beganMs === undefined) admission.leave(this);
    else admission.onEnd(how, this.#beganMs, this.#settings.nodeTimeoutMs);
  }
}

/** Whether the undecided result depends on nodes that this process was too late to ask. */
function isOwnDelay(votes: Votes): boolean {
  const isLate = (vote: Vote | undefined): boolean =>
    vote?.kind === "fault" && vote.fault === "late";
  const lost = votes.filter((vote) => vote !== undefined && vote.kind !== "granted");
  const byNodes = lost.filter((vote) => !isLate(vote)).length;
  return lost.length > byNodes && byNodes <= toleratedCount(votes.length);
}
