import type { Lock } from "../../src/index.js";
import type { NowUs } from "../clock.js";
import type { Journal } from "../history/journal.js";
import type { CallRecord, ClientRecord } from "../history/records.js";
import { ownerIdOf } from "../../src/manager/lock.js";

/** How often validity is sampled and the event loop's punctuality is checked, ms. */
const LOOK_MS = 20;

/** A turn of the event loop that is late by more than this was a stall, ms. */
const STALL_MS = 20;

/** Ends of validity that differ by less are the same end, read at two instants, ms. */
const SAME_MS = 2;

/** A call that has not settled yet. */
export interface OpenCall {
  readonly call: number;
  readonly settle: (result: string) => void;
}

/** Records what this process does and learns, as seen from outside the library. */
export class Logbook {
  readonly #process: string;
  readonly #now: NowUs;
  readonly #journal: Journal<ClientRecord>;
  readonly #held = new Map<Lock, { untilMs: number }>();
  readonly #timer: NodeJS.Timeout;
  #lookedUs: number;
  #callCount = 0;

  constructor(process: string, now: NowUs, journal: Journal<ClientRecord>) {
    this.#process = process;
    this.#now = now;
    this.#journal = journal;
    this.#lookedUs = now();
    this.process("start");
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  process(what: "start" | "closing"): void {
    this.#journal.write({ kind: "process", ...this.#stamp(), what });
  }

  /** Records the start of a call; the returned call must be settled with its result. */
  call(what: CallRecord["what"], name: string, withinMs: number, ownerId?: string): OpenCall {
    const call = this.#callCount++;
    const about = { call, what, name, withinMs, ...(ownerId !== undefined && { ownerId }) };
    this.#journal.write({ kind: "call", ...this.#stamp(), ...about, steadyMs: performance.now() });
    const settle = (result: string): void => {
      const steadyMs = performance.now();
      this.#journal.write({ kind: "settle", ...this.#stamp(), call, result, steadyMs });
    };
    return { call, settle };
  }

  granted(lock: Lock, call: number, ttlMs: number): void {
    const { atUs, leftMs } = this.#validity(lock);
    const about = { call, token: lock.fencingToken ?? 0, ttlMs, leftMs };
    this.#journal.write({ kind: "grant", ...this.#about(lock), ...about, atUs });
    this.#held.set(lock, { untilMs: atUs / 1_000 + leftMs });
    const tell = (): void => {
      const reason = String((lock.signal.reason as { reason?: string }).reason);
      this.#journal.write({ kind: "lost", ...this.#about(lock), reason });
      this.#held.delete(lock);
    };
    if (lock.signal.aborted) tell();
    else lock.signal.addEventListener("abort", tell, { once: true });
  }

  /** Checks whether the lock is held, and records a yes. */
  isHeld(lock: Lock): boolean {
    const { atUs, leftMs } = this.#validity(lock);
    const isHeld = lock.isHeld;
    if (isHeld) {
      this.#journal.write({ kind: "check", ...this.#about(lock), atUs, leftMs });
    }
    return isHeld;
  }

  /** Must be called just before the release. */
  releasing(lock: Lock): void {
    this.#sample(lock);
    this.#held.delete(lock);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowUs = this.#now();
    const dueUs = this.#lookedUs + LOOK_MS * 1_000;
    if (nowUs > dueUs + STALL_MS * 1_000) {
      const about = { process: this.#process, atUs: this.#lookedUs, untilUs: nowUs };
      this.#journal.write({ kind: "stall", ...about });
    }
    this.#lookedUs = nowUs;
    for (const lock of this.#held.keys()) this.#sample(lock);
  }

  #sample(lock: Lock): void {
    const held = this.#held.get(lock);
    const { atUs, leftMs } = this.#validity(lock);
    const untilMs = atUs / 1_000 + leftMs;
    if (held === undefined || leftMs === 0 || untilMs < held.untilMs + SAME_MS) return;
    held.untilMs = untilMs;
    this.#journal.write({ kind: "sample", ...this.#about(lock), atUs, leftMs });
  }

  /** In this order, a stop between the two readings makes a hold look shorter, never longer. */
  #validity(lock: Lock): { atUs: number; leftMs: number } {
    const atUs = this.#now();
    return { atUs, leftMs: lock.remainingMs };
  }

  #about(lock: Lock) {
    return { ...this.#stamp(), name: lock.name, ownerId: ownerIdOf(lock) };
  }

  #stamp() {
    return { atUs: this.#now(), process: this.#process };
  }
}
