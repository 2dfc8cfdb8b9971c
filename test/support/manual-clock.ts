import type { Clock, Timer } from "../../src/coordinator/ports.js";

interface Armed {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** A clock that stands still makes a busy loop endless; better a failing test than a hanging one. */
const MAX_READS = 200_000;

/**
 * Time under the test's control. Lease time runs with the steady time, and ahead of it by what was
 * suspended. Timers follow the steady time, as real ones do.
 */
export class ManualClock implements Clock {
  /** The delay of every timer that was armed, in order. */
  readonly armedMs: number[] = [];
  /** Whether what is running was called by {@link detached}, or had been deferred. */
  isDetached = false;
  #steadyMs: number;
  #suspendedMs = 0;
  #wallOffsetMs = 1_700_000_000_000;
  #timers: Armed[] = [];
  #deferred: (() => void)[] = [];
  #reads = 0;

  constructor(startMs = 1_000) {
    this.#steadyMs = startMs;
  }

  now(): number {
    if (++this.#reads > MAX_READS) throw new Error("a busy loop: time stands still");
    return this.#steadyMs + this.#suspendedMs;
  }

  steady(): number {
    return this.#steadyMs;
  }

  wallUs(): number {
    return (this.#wallOffsetMs + this.#steadyMs) * 1_000;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    this.armedMs.push(delayMs);
    const armed = { dueMs: this.#steadyMs + Math.max(0, delayMs), callback };
    this.#timers.push(armed);
    return { cancel: () => this.#remove(armed) };
  }

  defer(callback: () => void): void {
    this.#deferred.push(callback);
  }

  detached(run: () => void): void {
    const before = this.isDetached;
    this.isDetached = true;
    run();
    this.isDetached = before;
  }

  /** Timers that are armed now. */
  get timerCount(): number {
    return this.#timers.length;
  }

  /** Ends the current burst of input: runs what was deferred, and what that defers. */
  flush(): void {
    while (this.#deferred.length > 0) {
      for (const callback of this.#deferred.splice(0)) this.detached(callback);
    }
  }

  /** Lets time pass, with every timer at its own instant. */
  advance(ms: number): void {
    const endMs = this.#steadyMs + ms;
    this.flush();
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#remove(next);
      this.#set(Math.max(this.#steadyMs, next.dueMs));
      next.callback();
      this.flush();
    }
    this.#set(endMs);
  }

  /** As {@link advance}, in steps, with promises settled in between. */
  async run(ms: number, stepMs = 1): Promise<void> {
    await settle();
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      this.advance(Math.min(stepMs, ms - passedMs));
      await settle();
    }
  }

  /** Time passes and no timer is served: the event loop is busy. */
  stall(ms: number): void {
    this.#set(this.#steadyMs + ms);
  }

  /** The machine sleeps: only the lease time goes on. */
  suspend(ms: number): void {
    this.#reads = 0;
    this.#suspendedMs += ms;
  }

  /** The wall clock is set by so much. */
  stepWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  #set(steadyMs: number): void {
    this.#steadyMs = steadyMs;
    this.#reads = 0;
  }

  #next(endMs: number): Armed | undefined {
    let next: Armed | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= endMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }

  #remove(armed: Armed): void {
    this.#timers = this.#timers.filter((timer) => timer !== armed);
  }
}

/** Lets promises settle, without any time passing. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}
