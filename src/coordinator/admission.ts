import type { Urgency } from "../protocol/next-move.js";
import { Allowance } from "./allowance.js";
import { LinkedSet, type Linkable } from "./linked-set.js";
import type { Clock, Timer } from "./ports.js";

/**
 * How many attempts to acquire a process has in flight at once.
 *
 * Enough to keep the connections busy, and few enough that answers arrive long before their deadlines: an attempt
 * that is sent too early waits at the nodes instead of here, against its own deadline.
 */
export interface WindowBounds {
  readonly min: number;
  readonly start: number;
  readonly max: number;
}

/** With fewer than the minimum, attempts are hardly faster; with more than the maximum, throughput hardly grows. */
export const WINDOW_BOUNDS: WindowBounds = { min: 64, start: 256, max: 512 };

/** Fractions of the node deadline: a faster attempt enlarges the window, a slower one shrinks it. */
const [ROOMY, CROWDED] = [1 / 4, 1 / 2];

/**
 * The window after an attempt has ended: one more if it was fast, half as many if it was slow.
 *
 * @param tookMs undefined if no quorum answered it
 */
export function nextWindow(
  window: number,
  tookMs: number | undefined,
  nodeTimeoutMs: number,
  { min, max }: WindowBounds,
): number {
  if (tookMs === undefined || tookMs > nodeTimeoutMs * CROWDED) {
    return Math.max(min, Math.floor(window / 2));
  }
  return tookMs <= nodeTimeoutMs * ROOMY ? Math.min(max, window + 1) : window;
}

/**
 * An attempt that wants to begin. Until it does, it has sent nothing and no node deadline is running. It begins once,
 * and never from within {@link Admission.enter}.
 */
export interface Entrant extends Throttled {
  /** It does not begin in this turn: others have to end first. */
  onHeldBack(): void;
}

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
  /** Those that are called are urgent. */
  readonly #throttle: Throttle<Entrant>;
  /** These wait until a quorum answers. */
  readonly #resting = new LinkedSet<Entrant>();
  readonly #probes = new Allowance(PROBES_A_SECOND);
  readonly #bounds: WindowBounds;
  /** Attempts that began before this saw a larger window. Lease clock, ms. */
  #narrowedMs = Number.NEGATIVE_INFINITY;
  #isTroubled = false;
  /** In this turn. */
  #entered: Entrant[] = [];
  #probing: Timer | undefined;

  constructor(clock: Clock, bounds = WINDOW_BOUNDS) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#throttle = new Throttle(clock, bounds.start);
  }

  /** How many attempts wait to begin. */
  get waitingCount(): number {
    return this.#throttle.waitingCount + this.#resting.size;
  }

  get underWayCount(): number {
    return this.#throttle.underWayCount;
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
    if (urgency === "patient" && this.#isTroubled && !this.#probes.take(this.#clock.steady())) {
      this.#resting.add(entrant);
      this.#probeSoon();
      entrant.onHeldBack();
      return;
    }
    this.#throttle.wait(entrant, urgency === "called");
    this.#entered.push(entrant);
    // Not synchronously: a caller that asks for a thousand locks in one tick would let the first deadlines run before
    // anything is sent.
    if (this.#entered.length === 1) this.#clock.defer(this.#beginEntered);
  }

  readonly #beginEntered = (): void => {
    const entered = this.#entered;
    this.#entered = [];
    this.#throttle.beginNext();
    for (const entrant of entered) if (entrant.link !== undefined) entrant.onHeldBack();
  };

  /** It waits, and nodes have just reserved the name for it. */
  hurry(entrant: Entrant): void {
    this.leave(entrant);
    this.enter(entrant, "called");
  }

  /** It no longer wants to begin. */
  leave(entrant: Entrant): void {
    this.#throttle.leave(entrant);
    this.#resting.delete(entrant);
    if (this.#resting.size === 0) this.#stopProbing();
  }

  /**
   * An attempt that had begun has ended.
   *
   * @param how `unanswered`: no quorum of nodes answered; `aborted` says nothing about the nodes
   * @param beganMs lease clock, like now
   */
  onEnd(
    how: "answered" | "unanswered" | "aborted",
    beganMs: number,
    nodeTimeoutMs: number,
    nowMs: number,
  ): void {
    if (how !== "aborted") {
      const tookMs = how === "answered" ? nowMs - beganMs : undefined;
      const { limit, isCrowded } = this.#throttle;
      const window = nextWindow(limit, tookMs, nodeTimeoutMs, this.#bounds);
      if (window < limit) this.#narrow(window, beganMs, nowMs);
      else if (isCrowded) this.#throttle.limit = window;
      this.#isTroubled = how === "unanswered";
      if (!this.#isTroubled && this.#resting.size > 0) this.#wakeResting();
    }
    this.#throttle.onEnd();
  }

  /** Attempts that are late together have one cause, so the window shrinks once. */
  #narrow(window: number, beganMs: number, nowMs: number): void {
    if (beganMs < this.#narrowedMs) return;
    this.#narrowedMs = nowMs;
    this.#throttle.limit = window;
  }

  #wakeResting(): void {
    for (const entrant of this.#resting) this.#admit(entrant);
    this.#stopProbing();
  }

  #admit(resting: Entrant): void {
    this.#resting.delete(resting);
    this.#throttle.wait(resting, false);
  }

  #probeSoon(): void {
    this.#probing ??= this.#clock.setTimer(PROBE_PAUSE_MS, () => {
      this.#probing = undefined;
      for (const entrant of this.#resting) {
        if (!this.#probes.take(this.#clock.steady())) break;
        this.#admit(entrant);
      }
      if (this.#resting.size > 0) this.#probeSoon();
      this.#throttle.beginSoon();
    });
  }

  #stopProbing(): void {
    this.#probing?.cancel();
    this.#probing = undefined;
  }
}

/** Something that is limited by a {@link Throttle}. */
export interface Throttled extends Linkable {
  begin(): void;
}

/**
 * Limits what is under way at once. The rest begins as that ends: first all that is urgent, and otherwise first come,
 * first served.
 *
 * Not p-limit: what waits there can neither be taken out again nor be overtaken by what is urgent.
 */
export class Throttle<Item extends Throttled> {
  /** How many may be under way when another begins that is not urgent. */
  limit: number;
  /** How many are. */
  underWayCount = 0;
  readonly #clock: Clock;
  readonly #urgentRoom: number;
  readonly #urgent = new LinkedSet<Item>();
  readonly #others = new LinkedSet<Item>();
  #isClosed = false;
  #turn: Timer | undefined;

  /** @param urgentRoom for so many more if they are urgent */
  constructor(clock: Clock, limit: number, urgentRoom = 0) {
    this.#clock = clock;
    this.limit = limit;
    this.#urgentRoom = urgentRoom;
  }

  get waitingCount(): number {
    return this.#urgent.size + this.#others.size;
  }

  /** Some wait that are not urgent: the limit is what holds them up. */
  get isCrowded(): boolean {
    return this.#others.size > 0;
  }

  #hasRoom(isUrgent: boolean): boolean {
    return this.underWayCount < this.limit + (isUrgent ? this.#urgentRoom : 0);
  }

  /**
   * Begins it now, or as soon as there is room. {@link Throttle.onEnd} must follow.
   *
   * @returns false if it has to wait
   */
  enter(item: Item, isUrgent: boolean): boolean {
    if (this.#isClosed) return true;
    // It may wait already, as one that was not urgent.
    this.#others.delete(item);
    const hasRoom = this.#hasRoom(isUrgent);
    if (hasRoom) this.#begin(item);
    else this.wait(item, isUrgent);
    return hasRoom;
  }

  /** One that does not wait begins when others have ended, or with {@link Throttle.beginNext}. */
  wait(item: Item, isUrgent: boolean): void {
    (isUrgent ? this.#urgent : this.#others).add(item);
  }

  /** It no longer waits. */
  leave(item: Item): void {
    this.#urgent.delete(item);
    this.#others.delete(item);
    if (this.waitingCount > 0) return;
    this.#turn?.cancel();
    this.#turn = undefined;
  }

  #begin(item: Item): void {
    this.underWayCount++;
    item.begin();
  }

  /** One that had begun has ended. */
  onEnd(): void {
    this.underWayCount--;
    if (this.waitingCount > 0) this.beginSoon();
  }

  /**
   * By a timer, so that replies are read in between. Where nodes are suspected, operations end as soon as they begin,
   * and all of them would do so in one turn of the event loop.
   */
  beginSoon(): void {
    this.#turn ??= this.#clock.setTimer(0, () => {
      this.#turn = undefined;
      this.beginNext();
    });
  }

  /** All for which there is room. */
  beginNext(): void {
    for (const waiting of [this.#urgent, this.#others]) {
      for (let next = waiting.first; next !== undefined; next = waiting.first) {
        if (!this.#hasRoom(waiting === this.#urgent)) return;
        waiting.delete(next);
        this.#begin(next);
      }
    }
  }

  /** Nothing waits or enters any more. */
  close(): void {
    this.#isClosed = true;
    this.#urgent.clear();
    this.#others.clear();
  }
}

/**
 * Renewals in flight at once. More would queue up at the nodes instead of here, against their own deadlines and ahead
 * of other operations; fewer could not sustain 100,000 locks of 10 s at a round trip of 30 ms.
 */
export const MAX_RENEWALS = 1_024;

/**
 * Many locks that are due together (acquired together, or due after a stall) never block the event loop or a node for
 * long. As many urgent renewals again have room.
 */
export function renewalsOn(clock: Clock): Throttle<Throttled> {
  return new Throttle(clock, MAX_RENEWALS, MAX_RENEWALS);
}
