import { backoffMs } from "../protocol/backoff.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { AcquireOutcome } from "./acquire.js";
import type { AttemptOutcome } from "./attempt.js";
import { type AttemptFailure, isHopeless } from "../protocol/attempt-failure.js";
import type { Context } from "./context.js";
import type { LocalCompetitors, Pending } from "./local-competitors.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { WaitSettings } from "../protocol/next-move.js";
import { PendingAttempt, type PendingAttemptListener } from "./pending-attempt.js";
import type { Sleeper } from "./schedule.js";

/**
 * An acquire that takes the name, whoever holds it. It enters no wait queue: it goes first.
 *
 * Locks of this process end before the nodes are asked, so no two requests of it ever hold the name. Holders in other
 * processes find out at their next renewal; their fencing tokens are lower, like those of all earlier grants.
 */
export class Preemption implements PendingAttemptListener, Pending, Sleeper {
  attemptCount = 0;
  wakeAtMs = 0;
  heapIndex = -1;

  readonly keys: LockKind;
  readonly #context: Context;
  readonly #settings: LeaseSettings;
  readonly #wait: WaitSettings;
  readonly #competitors: LocalCompetitors;
  readonly #settle: (outcome: AcquireOutcome) => void;
  readonly #startedMs: number;
  #attempt: PendingAttempt | undefined;
  #lastFailure: AttemptFailure | undefined;
  /** Earlier requests of this process; they are decided first. */
  readonly #undecided = new Set<Pending>();
  #isPreempted = false;
  #isOver = false;

  /**
   * @param keys of an exclusive lock of one name
   * @param settle is called once, not before {@link Preemption.begin}
   */
  constructor(
    context: Context,
    keys: LockKind,
    settings: LeaseSettings,
    wait: WaitSettings,
    competitors: LocalCompetitors,
    settle: (outcome: AcquireOutcome) => void,
  ) {
    this.#context = context;
    this.keys = keys;
    this.#settings = settings;
    this.#wait = wait;
    this.#competitors = competitors;
    this.#settle = settle;
    this.#startedMs = context.clock.now();
  }

  /**
   * Called once it is among the rivals' pending. When this returns, another stealing request has ended as if it had
   * been granted, and later requests come after this one. Earlier requests of this process are decided first, at the
   * latest one node deadline after they were sent: one may be about to be granted, and is then stolen.
   */
  begin(): void {
    const { lockKey } = this.keys;
    let isBehindPreemption = false;
    for (const earlier of this.#earlier()) {
      if (isBehindPreemption || !this.#waitsFor(earlier)) earlier.yieldTo(lockKey);
      if (earlier instanceof Preemption && earlier.keys.lockKey === lockKey)
        isBehindPreemption = true;
    }
    this.wake(this.#startedMs);
  }

  /** How long it has been trying, ms. */
  get waitedMs(): number {
    return this.#context.clock.now() - this.#startedMs;
  }

  /** Whether it was aborted because another request of this process steals the name in turn. */
  get isPreempted(): boolean {
    return this.#isPreempted;
  }

  abort(): void {
    this.#attempt?.abort();
    this.#end({ kind: "aborted" });
  }

  /** As if it had been granted and preempted at once: it must not ask again after a later request. */
  yieldTo(lockKey: string): void {
    if (this.#isOver || lockKey !== this.keys.lockKey) return;
    this.#isPreempted = true;
    this.abort();
  }

  /** Called by the attempt. */
  onOutcome(outcome: AttemptOutcome): void {
    this.#attempt = undefined;
    if (outcome.kind === "queued") {
      this.#end(this.#lastFailure ?? outcome);
      return;
    }
    const nowMs = this.#context.clock.now();
    const isLast = nowMs >= this.#deadlineMs;
    if (outcome.kind === "granted" || isLast || isHopeless(outcome.votes)) {
      this.#end(outcome);
      return;
    }
    this.#lastFailure = outcome;
    const { minDelayMs, maxDelayMs } = this.#wait;
    const { attemptCount } = this;
    const unit = this.#context.entropy.unit();
    const quorumFreeInMs = Number.POSITIVE_INFINITY;
    const pauseMs = backoffMs({ attemptCount, minDelayMs, maxDelayMs, quorumFreeInMs, unit });
    const untilMs = Math.min(nowMs + pauseMs, this.#deadlineMs);
    this.#context.schedule.set(this, untilMs);
  }

  /** Called by the schedule. */
  wake(nowMs: number): void {
    const untilMs = this.#attendsUntilMs(nowMs);
    if (untilMs <= nowMs) this.#try(nowMs);
    else this.#context.schedule.set(this, untilMs);
  }

  /** How long it waits for earlier requests; those not sent yet have no running deadline. */
  #attendsUntilMs(nowMs: number): number {
    if (this.#undecided.size === 0 || this.attemptCount > 0) return nowMs;
    const askedMs = Math.max(...Array.from(this.#undecided, (earlier) => earlier.askedMs ?? nowMs));
    const untilMs = Math.min(askedMs, nowMs) + this.#settings.nodeTimeoutMs;
    return this.#wait.waitMs > 0 ? Math.min(untilMs, this.#deadlineMs) : untilMs;
  }

  get #deadlineMs(): number {
    return this.#startedMs + this.#wait.waitMs;
  }

  *#earlier(): Iterable<Pending> {
    for (const pending of this.#competitors.pending) {
      if (pending === this) return;
      yield pending;
    }
  }

  #waitsFor(earlier: Pending): boolean {
    const isUndecided = earlier.whenDecided?.(this.keys.lockKey, () => this.#onDecided(earlier));
    if (isUndecided === true) this.#undecided.add(earlier);
    return isUndecided === true;
  }

  #onDecided(decided: Pending): void {
    this.#undecided.delete(decided);
    if (this.#undecided.size > 0 || this.#isOver || this.attemptCount > 0) return;
    // Where one reader has been granted, waiting readers are let in.
    for (const earlier of this.#earlier()) this.#waitsFor(earlier);
    this.wake(this.#context.clock.now());
  }

  #try(nowMs: number): void {
    if (this.#attempt !== undefined) return;
    this.#context.schedule.remove(this);
    const mode = { as: "preempt" } as const;
    const isPatient = this.attemptCount > 0 && nowMs < this.#deadlineMs;
    this.#attempt = new PendingAttempt(this.#context, this.keys, this.#settings, this, mode, {
      urgency: isPatient ? "patient" : "plain",
      ...(this.#wait.waitMs > 0 && { beginUntilMs: Math.max(this.#deadlineMs, nowMs + 1) }),
    });
  }

  /** Called by the attempt. */
  onBegin(): boolean {
    this.attemptCount++;
    this.#preemptOwn();
    // A listener that is notified of its loss may do anything, such as close the manager.
    return !this.#isOver;
  }

  /** First: earlier releases and rollbacks are sent to each node before our acquire. */
  #preemptOwn(): void {
    const { lockKey } = this.keys;
    for (const held of this.#competitors.held)
      if (held.keys.lockKeys.includes(lockKey)) held.preempt();
    for (const pending of this.#competitors.pending) if (pending !== this) pending.yieldTo(lockKey);
  }

  #end(outcome: AcquireOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#context.schedule.remove(this);
    this.#settle(outcome);
  }
}
