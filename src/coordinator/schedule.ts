import type { Clock, Timer } from "./ports.js";
import { STALL_MS } from "../protocol/deadlines.js";

/** Something that wants to be woken once at an instant of lease time. */
export interface Sleeper {
  /** Lease clock, ms. */
  wakeAtMs: number;
  /** Its index in the heap; -1 while it is in none. Owned by the schedule. */
  heapIndex: number;
  /**
   * Of a deadline for answers: for how long it is put off, once, where this process stalled over it, ms. Answers may
   * have arrived meanwhile, and are read first.
   */
  readonly graceMs?: number;
  /** Whether it was put off. Owned by the schedule. */
  wasLate?: boolean;
  wake(nowMs: number): void;
}

/**
 * Longest delay of a timer, in ms. Timers run on monotonic time: after a suspend they are late by the suspended time,
 * and beyond 2^31 ms they overflow. So they are short, and re-check.
 */
const MAX_ARM_MS = 1_000;

/** Stalls that are remembered. */
const MAX_STALLS = 16;

/**
 * Wakes any number of sleepers with one timer: a binary heap by instant. A lock costs one entry instead of its own
 * timers, and every wake-up re-reads the lease clock. The timer stays armed while nobody sleeps: the next sleeper
 * probably comes before it fires, and arming is the most expensive step here.
 */
export class Schedule {
  readonly #clock: Clock;
  readonly #heap: Sleeper[] = [];
  #timer: Timer | undefined;
  /** When the armed timer fires, monotonic ms. */
  #dueSteadyMs = Number.POSITIVE_INFINITY;
  /** The same by the lease clock, which sees suspends, ms. */
  #dueMs = Number.POSITIVE_INFINITY;
  readonly #stalls: { readonly endMs: number; readonly forMs: number }[] = [];
  #isRunning = false;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** The longest time since then for which nothing ran, including the present gap; lease clock, ms. A lower bound. */
  longestStallMs(sinceMs: number): number {
    const past = this.#stalls.filter(({ endMs }) => endMs > sinceMs).map(({ forMs }) => forMs);
    const nowMs = this.#clock.now();
    return Math.max(0, nowMs - Math.max(this.#dueMs, sinceMs), ...past);
  }

  /** Enters the sleeper, or moves it, to `wakeAtMs`. */
  set(sleeper: Sleeper, wakeAtMs: number): void {
    sleeper.wakeAtMs = wakeAtMs;
    if (sleeper.heapIndex === -1) this.#up(sleeper, this.#heap.length);
    else this.#move(sleeper, sleeper.heapIndex);
    this.#arm();
  }

  remove(sleeper: Sleeper): void {
    const index = sleeper.heapIndex;
    if (index === -1) return;
    sleeper.heapIndex = -1;
    const last = this.#heap.pop();
    if (last !== undefined && last !== sleeper) this.#move(last, index);
    if (this.#heap.length === 0 && this.#isClosed) this.#disarm();
  }

  /** From now on no timer is kept while nobody sleeps. */
  close(): void {
    this.#isClosed = true;
    if (this.#heap.length === 0) this.#disarm();
  }

  /** Wakes all who are due. Also called after a stall, before any other decision. */
  run(): void {
    const now = this.#clock.now();
    this.#isRunning = true;
    try {
      for (let top = this.#heap[0]; top !== undefined && top.wakeAtMs <= now; top = this.#heap[0]) {
        this.remove(top);
        const { graceMs = 0, wasLate = false } = top;
        if (graceMs > 0 && !wasLate && now - top.wakeAtMs > STALL_MS) {
          top.wasLate = true;
          this.set(top, now + graceMs);
        } else top.wake(now);
      }
    } finally {
      this.#isRunning = false;
      this.#arm();
    }
  }

  /**
   * Compares what is due in monotonic time, which the timer runs on: after a suspend the lease
   * clock has moved on, and a timer that was armed before is later than it looks.
   */
  #arm(): void {
    const top = this.#heap[0];
    // When many are woken, rearming once at the end is enough.
    if (top === undefined || this.#isRunning) return;
    const nowMs = this.#clock.now();
    const delayMs = Math.min(Math.max(0, top.wakeAtMs - nowMs), MAX_ARM_MS);
    const dueSteadyMs = this.#clock.steady() + delayMs;
    if (dueSteadyMs >= this.#dueSteadyMs) return;
    this.#disarm();
    this.#dueSteadyMs = dueSteadyMs;
    this.#dueMs = nowMs + delayMs;
    this.#timer = this.#clock.setTimer(delayMs, () => {
      this.#noteStall();
      this.#disarm();
      this.run();
    });
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#dueSteadyMs = Number.POSITIVE_INFINITY;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  #noteStall(): void {
    const endMs = this.#clock.now();
    const forMs = endMs - this.#dueMs;
    if (forMs <= STALL_MS) return;
    this.#stalls.push({ endMs, forMs });
    if (this.#stalls.length > MAX_STALLS) this.#stalls.shift();
  }

  /** Enters it there, or where its instant belongs above or below. */
  #move(sleeper: Sleeper, from: number): void {
    this.#up(sleeper, from);
    this.#down(sleeper, sleeper.heapIndex);
  }

  #up(sleeper: Sleeper, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#heap[parentIndex];
      if (parent === undefined || parent.wakeAtMs <= sleeper.wakeAtMs) break;
      this.#heap[index] = parent;
      parent.heapIndex = index;
      index = parentIndex;
    }
    this.#heap[index] = sleeper;
    sleeper.heapIndex = index;
  }

  #down(sleeper: Sleeper, from: number): void {
    let index = from;
    for (;;) {
      const left = this.#heap[2 * index + 1];
      const right = this.#heap[2 * index + 2];
      const child =
        right !== undefined && left !== undefined && right.wakeAtMs < left.wakeAtMs ? right : left;
      if (child === undefined || child.wakeAtMs >= sleeper.wakeAtMs) break;
      const childIndex = child.heapIndex;
      this.#heap[index] = child;
      child.heapIndex = index;
      index = childIndex;
    }
    this.#heap[index] = sleeper;
    sleeper.heapIndex = index;
  }
}
