import { renewalRetryMs } from "../../protocol/renewal.js";
import type { Context } from "../../coordinator/context.js";
import type { Sleeper } from "../../coordinator/schedule.js";
import { ExecutionError, NO_QUORUM } from "./errors.js";
import { leases, type LeaseState } from "./lease-state.js";
import type { Lock } from "./lock.js";
import type { RedlockAbortSignal } from "./execution.js";
import type { Settings } from "./settings.js";

/** Runs the routine while the lock is extended automatically, and releases it. */
export async function runUsing<T>(
  lock: Lock,
  duration: number,
  settings: Settings,
  routine: (signal: RedlockAbortSignal) => Promise<T>,
): Promise<T> {
  const keeper = new Keeper(lock, duration, settings);
  const ended = await keeper.run(routine);
  const failure = await keeper.end();
  if (!ended.ok) throw ended.error;
  if (failure !== undefined) throw failure;
  return ended.result;
}

type Ended<T> =
  | { readonly ok: true; readonly result: T }
  | { readonly ok: false; readonly error: unknown };

/**
 * Keeps a lock: extends it when little of it is left, retries within what is left, and reports its loss when a quorum
 * says so, or by the clock before the end of its validity at the latest.
 */
class Keeper implements Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;

  readonly #state: LeaseState;
  /** The schedule that wakes it, even when the lease has moved to other connections. */
  readonly #context: Context;
  readonly #duration: number;
  readonly #settings: Settings;
  readonly #controller = new AbortController();
  readonly #signal: RedlockAbortSignal;
  #lock: Lock;
  #extendAtMs = 0;
  /** Error of the last failed extension. */
  #failure: Error | undefined;
  #isLost = false;
  #hasEnded = false;

  constructor(lock: Lock, duration: number, settings: Settings) {
    const state = leases.get(lock);
    if (state === undefined) throw new Error("the lock has no lease");
    this.#state = state;
    this.#context = state.context;
    this.#lock = lock;
    this.#duration = duration;
    this.#settings = settings;
    this.#signal = askingSignal(this.#controller.signal, () => this.#knowsLoss());
    this.#planExtension();
  }

  async run<T>(routine: (signal: RedlockAbortSignal) => Promise<T>): Promise<Ended<T>> {
    try {
      return { ok: true, result: await routine(this.#signal) };
    } catch (error) {
      return { ok: false, error };
    }
  }

  /** Called by the schedule. */
  wake(nowMs: number): void {
    if (this.#hasEnded || this.#isLost) return;
    if (this.#state.lossInMs === 0) this.#lose();
    else {
      if (nowMs >= this.#extendAtMs) void this.#extend();
      this.#reschedule();
    }
  }

  /** Releases. Resolves to an error if the lock was lost. */
  async end(): Promise<Error | undefined> {
    this.#hasEnded = true;
    this.#context.schedule.remove(this);
    // Checks the clock: a stalled event loop has not run the timer yet.
    const wasHeld = this.#state.isHeld;
    try {
      await this.#lock.redlock.release(this.#lock, { ...this.#settings, retryCount: 0 });
    } catch (error) {
      // Nodes that did not answer get it later: the lock was held to the end of the routine.
      if (wasHeld && this.#state.end === "lost") return error as Error;
    }
    return wasHeld ? undefined : this.#lossError;
  }

  async #extend(): Promise<void> {
    this.#extendAtMs = Number.POSITIVE_INFINITY;
    try {
      const once = { ...this.#settings, retryCount: 0 };
      this.#lock = await this.#lock.redlock.extend(this.#lock, this.#duration, once);
      if (this.#hasEnded || this.#isLost) return;
      if (this.#state.lossInMs === 0) this.#lose();
      else this.#planExtension();
    } catch (error) {
      this.#failure = error as Error;
      if (this.#hasEnded || this.#isLost) return;
      if (!this.#state.isHeld) this.#lose();
      else {
        const { clock, entropy } = this.#context;
        const leftMs = this.#state.remainingMs;
        this.#extendAtMs = clock.now() + renewalRetryMs(leftMs, this.#duration, entropy.unit());
        this.#reschedule();
      }
    }
  }

  #planExtension(): void {
    const inMs = this.#state.remainingMs - this.#settings.automaticExtensionThreshold;
    this.#extendAtMs = this.#context.clock.now() + inMs;
    this.#reschedule();
  }

  #reschedule(): void {
    const { clock, schedule } = this.#context;
    schedule.set(this, Math.min(this.#extendAtMs, clock.now() + this.#state.lossInMs));
  }

  /** For a routine that runs before the timer after the event loop stalled: asks the clock. */
  #knowsLoss(): boolean {
    if (!this.#hasEnded && !this.#isLost && !this.#state.isHeld) this.#lose();
    return this.#isLost;
  }

  #lose(): void {
    this.#isLost = true;
    this.#state.lose("expired");
    this.#context.schedule.remove(this);
    this.#signal.error = this.#lossError;
    this.#controller.abort();
  }

  get #lossError(): Error {
    return this.#signal.error ?? this.#failure ?? new ExecutionError(NO_QUORUM, []);
  }
}

/** The signal, wrapped so that reading `aborted` asks the clock. */
function askingSignal(signal: AbortSignal, isAborted: () => boolean): RedlockAbortSignal {
  return Object.defineProperties(signal, {
    aborted: { get: isAborted },
    throwIfAborted: {
      value: () => {
        if (isAborted()) throw signal.reason;
      },
    },
  });
}
