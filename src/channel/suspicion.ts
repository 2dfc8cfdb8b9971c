import type { Clock, Timer } from "../coordinator/ports.js";
import { STALL_MS } from "../protocol/deadlines.js";
import type { ConnectionFailure } from "./transport.js";

/** The calls to a node that are watched. */
export interface WatchedCalls {
  /** When the oldest one without an answer was sent, lease clock, ms; undefined if there is none. */
  oldestSentMs(): number | undefined;
  /** The node is suspected now, or no longer suspected. */
  onSuspicion(): void;
  /** The connection must be closed. */
  onBroken(failure: ConnectionFailure): void;
}

/**
 * Watches the oldest call to a node: unanswered for a while, the node is suspected; for longer, the connection is
 * closed. One timer per channel.
 */
export class Suspicion {
  isSuspected = false;
  readonly #clock: Clock;
  readonly #suspectAfterMs: number;
  readonly #giveUpAfterMs: number;
  readonly #calls: WatchedCalls;
  #timer: Timer | undefined;

  constructor(clock: Clock, suspectAfterMs: number, giveUpAfterMs: number, calls: WatchedCalls) {
    this.#clock = clock;
    this.#suspectAfterMs = suspectAfterMs;
    this.#giveUpAfterMs = giveUpAfterMs;
    this.#calls = calls;
  }

  /** A call was sent, or is still without an answer. @param nowMs lease clock */
  watch(nowMs: number): void {
    if (this.#timer !== undefined) return;
    const sentMs = this.#calls.oldestSentMs();
    if (sentMs === undefined) return;
    const ageMs = nowMs - sentMs;
    const limitMs = this.isSuspected ? this.#giveUpAfterMs : this.#suspectAfterMs;
    const delayMs = Math.max(1, limitMs - ageMs);
    const dueMs = this.#clock.steady() + delayMs;
    this.#timer = this.#clock.setTimer(delayMs, () => {
      if (this.#clock.steady() - dueMs > STALL_MS)
        this.#timer = this.#clock.setTimer(0, this.#look);
      else this.#look();
    });
  }

  /** The node, which was suspected, has answered. */
  trust(): void {
    this.reset();
    this.watch(this.#clock.now());
    this.#calls.onSuspicion();
  }

  /** The calls were dropped. */
  reset(): void {
    this.isSuspected = false;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    const sentMs = this.#calls.oldestSentMs();
    if (sentMs === undefined) return;
    const nowMs = this.#clock.now();
    const ageMs = nowMs - sentMs;
    if (ageMs >= this.#giveUpAfterMs) {
      const message = `no answer for ${Math.round(ageMs)} ms`;
      this.#calls.onBroken({ message, isMisconfigured: false });
    } else if (ageMs >= this.#suspectAfterMs && !this.isSuspected) {
      this.isSuspected = true;
      this.#calls.onSuspicion();
    }
    this.watch(nowMs);
  };
}
