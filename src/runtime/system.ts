import { AsyncResource } from "node:async_hooks";
import { randomFillSync } from "node:crypto";
import type { Clock, Entropy, Timer } from "../coordinator/ports.js";
import {
  armedMs,
  CLOCK_BAND_MS,
  readLeaseClock,
  startLeaseClock,
} from "../protocol/lease-times.js";
import { MAX_TIMER_MS } from "./validate.js";

/** The async context of no caller. */
const outside = new AsyncResource("QUORATE");

/**
 * Calls it immediately, outside any caller's async context. Connections, batches and timers serve many callers, and
 * must not carry the context (trace, request, locks) of the first caller over to all others.
 */
export function detached<T>(run: () => T): T {
  return outside.runInAsyncScope(run);
}

let deferred: (() => void)[] = [];

/**
 * Calls it within this turn of the loop: the requests made in the callbacks of a reply are together by then, and
 * waiting for the loop's next phase would only lengthen every round trip. All that is deferred meanwhile shares a tick,
 * which costs more than most of what is done in it.
 */
function defer(callback: () => void): void {
  deferred.push(callback);
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its "this", and needs no closure
  if (deferred.length === 1) outside.runInAsyncScope(process.nextTick, process, runDeferred);
}

function runDeferred(): void {
  const due = deferred;
  deferred = [];
  let count = 0;
  try {
    for (const callback of due) {
      count++;
      callback();
    }
  } finally {
    // One has thrown: the others are not to suffer from it.
    for (const callback of due.slice(count)) defer(callback);
  }
}

/** If the readings differ by more, the process was preempted between them; they are read again. */
const MAX_READS = 3;

/** The process's clocks, and timers outside any caller's async context. All measurements use one instance. */
export function systemClock(): Clock {
  let state = startLeaseClock(performance.now(), Date.now());

  const now = (): number => {
    let before = performance.now();
    for (let reads = 1; ; reads++) {
      const wall = Date.now();
      const after = performance.now();
      if (after - before < CLOCK_BAND_MS || reads === MAX_READS) {
        state = readLeaseClock(state, before, wall);
        return after + state.addedMs;
      }
      before = after;
    }
  };

  return {
    now,
    steady: () => performance.now(),
    wallUs: () => Date.now() * 1_000,
    setTimer: systemTimer,
    defer,
    detached,
  };
}

function systemTimer(delayMs: number, callback: () => void): Timer {
  const armed = Math.min(armedMs(delayMs), MAX_TIMER_MS);
  const handle = outside.runInAsyncScope(setTimeout, undefined, callback, armed);
  return { cancel: () => clearTimeout(handle), unref: () => void handle.unref() };
}

/** 128 bits per id: 22 characters of base64url. */
const ID_BYTES = 16;
const POOL_IDS = 256;

/** The operating system's randomness, fetched in blocks: one call per id would cost more than the id. */
export function systemEntropy(): Entropy {
  const pool = Buffer.alloc(ID_BYTES * POOL_IDS);
  let used = pool.length;
  return {
    unit: Math.random,
    id: () => {
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const id = pool.toString("base64url", used, used + ID_BYTES);
      used += ID_BYTES;
      return id;
    },
  };
}
