import { nextWindow, WINDOW_BOUNDS, type WindowBounds } from "../protocol/admission.js";
import { Allowance } from "./allowance.js";
import { LinkedSet, type Linkable } from "./linked-set.js";
import type { Clock, Timer } from "./ports.js";

/** An attempt that wants to begin. Until it does, it has sent nothing and no node deadline is running. */
export interface Entrant extends Linkable {
  /** Sends. Called once, and from within {@link Admission.enter} only if it begins immediately. */
  begin(): void;
}

/**
 * - `atOnce`: it is part of a release, which never waits
 * - `called`: nodes have reserved the name for it, for a short time
 * - `plain`: first come, first served
 * - `patient`: like `plain`, but it has failed before and will retry
 */
export type Urgency = "atOnce" | "called" | "plain" | "patient";

/** Retries per second while no quorum answers: enough to notice when one does. */
const PROBES_A_SECOND = 320;
const PROBE_PAUSE_MS = 50;

/**
 * Limits the attempts in flight, as {@link nextWindow} says. The others begin as these end, first come, first served.
 * Releases, rollbacks and renewals are not limited.
 *
 * While no quorum answers, failed attempts are retried at a low rate, however many wait. The first answer lets all
 * others in.
 */
export class Admission {
  readonly #clock: Clock;
  readonly #called = new LinkedSet<Entrant>();
  readonly #waiting = new LinkedSet<Entrant>();
  /** These wait until a quorum answers. */
  readonly #resting = new LinkedSet<Entrant>();
  readonly #probes = new Allowance(PROBES_A_SECOND);
  readonly #bounds: WindowBounds;
  #window: number;
  #underWayCount = 0;
  /** Attempts that began before this saw a larger window. Lease clock, ms. */
  #narrowedMs = Number.NEGATIVE_INFINITY;
  #isTroubled = false;
  #isDeferred = false;
  #turn: Timer | undefined;
  #probing: Timer | undefined;

  constructor(clock: Clock, bounds = WINDOW_BOUNDS) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#window = bounds.start;
  }

  /** How many attempts wait to begin. */
  get waitingCount(): number {
    return this.#called.size + this.#waiting.size + this.#resting.size;
  }

  get underWayCount(): number {
    return this.#underWayCount;
  }

  /** Whether it waits until a quorum answers, while others may overtake it. */
  isResting(entrant: Entrant): boolean {
    return this.#resting.has(entrant);
  }

  /**
   * Begins it when the window has room, at the earliest after the current call returns. {@link Admission.onEnd} must
   * follow.
   */
  enter(entrant: Entrant, urgency: Urgency): void {
    if (urgency === "atOnce") {
      this.#begin(entrant);
      return;
    }
    if (urgency === "patient" && this.#isTroubled && !this.#probes.take(this.#clock.steady())) {
      this.#resting.add(entrant);
      this.#probeSoon();
      return;
    }
    (urgency === "called" ? this.#called : this.#waiting).add(entrant);
    if (this.#underWayCount < this.#window) this.#beginAfterThis();
  }

  /** It waits, and nodes have just reserved the name for it. */
  hurry(entrant: Entrant): void {
    this.leave(entrant);
    this.enter(entrant, "called");
  }

  /** It no longer wants to begin. */
  leave(entrant: Entrant): void {
    this.#called.delete(entrant);
    this.#waiting.delete(entrant);
    this.#resting.delete(entrant);
    if (this.#resting.size === 0) this.#stopProbing();
    if (this.#called.size + this.#waiting.size === 0) this.#stopTurn();
  }

  /**
   * An attempt that had begun has ended.
   *
   * @param how `unanswered`: no quorum of nodes answered; `aborted` says nothing about the nodes
   * @param beganMs lease clock
   */
  onEnd(how: "answered" | "unanswered" | "aborted", beganMs: number, nodeTimeoutMs: number): void {
    this.#underWayCount--;
    if (how !== "aborted") {
      this.#adapt(how === "answered", beganMs, nodeTimeoutMs);
      this.#isTroubled = how === "unanswered";
      if (!this.#isTroubled && this.#resting.size > 0) this.#wakeResting();
    }
    if (this.#called.size + this.#waiting.size > 0) this.#beginSoon();
  }

  #begin(entrant: Entrant): void {
    this.#underWayCount++;
    entrant.begin();
  }

  #adapt(isAnswered: boolean, beganMs: number, nodeTimeoutMs: number): void {
    const nowMs = this.#clock.now();
    const tookMs = isAnswered ? nowMs - beganMs : undefined;
    const window = nextWindow(this.#window, tookMs, nodeTimeoutMs, this.#bounds);
    if (window < this.#window) {
      // Attempts that are late together have one cause, so the window shrinks once.
      if (beganMs < this.#narrowedMs) return;
      this.#narrowedMs = nowMs;
    } else if (this.#waiting.size === 0) return;
    this.#window = window;
  }

  /**
   * Not synchronously: a caller that asks for a thousand locks in one tick would let the first deadlines run before
   * anything is sent.
   */
  #beginAfterThis(): void {
    if (this.#isDeferred) return;
    this.#isDeferred = true;
    this.#clock.defer(() => {
      this.#isDeferred = false;
      this.#beginNext();
    });
  }

  /**
   * By a timer, so that replies are read in between. Where nodes are suspected, attempts end as soon as they begin,
   * and all of them would do so in one turn of the event loop.
   */
  #beginSoon(): void {
    this.#turn ??= this.#clock.setTimer(0, () => {
      this.#turn = undefined;
      this.#beginNext();
    });
  }

  #beginNext(): void {
    for (const queue of [this.#called, this.#waiting]) {
      for (let next = queue.first; next !== undefined; next = queue.first) {
        if (this.#underWayCount >= this.#window) return;
        queue.delete(next);
        this.#begin(next);
      }
    }
  }

  #stopTurn(): void {
    this.#turn?.cancel();
    this.#turn = undefined;
  }

  #wakeResting(): void {
    for (const entrant of this.#resting) this.#admit(entrant);
    this.#stopProbing();
  }

  #admit(resting: Entrant): void {
    this.#resting.delete(resting);
    this.#waiting.add(resting);
  }

  #probeSoon(): void {
    this.#probing ??= this.#clock.setTimer(PROBE_PAUSE_MS, () => {
      this.#probing = undefined;
      for (const entrant of this.#resting) {
        if (!this.#probes.take(this.#clock.steady())) break;
        this.#admit(entrant);
      }
      if (this.#resting.size > 0) this.#probeSoon();
      if (this.#waiting.size > 0) this.#beginSoon();
    });
  }

  #stopProbing(): void {
    this.#probing?.cancel();
    this.#probing = undefined;
  }
}
