import { SAME_REQUEST_MS } from "../../manager/close-on-signals.js";
import { MAX_TIMER_MS } from "../../runtime/validate.js";
import { durationText } from "../duration.js";
import { asksToEnd } from "./signals.js";

/** From a signal that is passed on to SIGKILL, unless `--stop-timeout` says otherwise, ms. */
export const DEFAULT_STOP_TIMEOUT_MS = 30_000;

/**
 * How long a command may take to end once it was told to. Without a limit, one that ignores the signal would keep the
 * lock for as long as it likes.
 */
export class StopTimeout implements Disposable {
  readonly #timeoutMs: number;
  readonly #onOver: (reason: string) => void;
  #first: { readonly signal: NodeJS.Signals; readonly atMs: number } | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param timeoutMs from the first signal that asks it to end; 0: unlimited
   * @param onOver called when that is over, and for each further signal
   */
  constructor(timeoutMs: number, onOver: (reason: string) => void) {
    this.#timeoutMs = timeoutMs;
    this.#onOver = onOver;
  }

  /** To be called for every signal that the command was sent on behalf of others. */
  passedOn(signal: NodeJS.Signals): void {
    if (!asksToEnd(signal)) return;
    const nowMs = performance.now();
    if (this.#first === undefined) {
      this.#first = { signal, atMs: nowMs };
      if (this.#timeoutMs > 0) this.#look(signal, nowMs);
    } else if (nowMs - this.#first.atMs >= SAME_REQUEST_MS) {
      this.#onOver(`${signal} followed ${this.#first.signal}`);
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #look(signal: NodeJS.Signals, startMs: number): void {
    const leftMs = startMs + this.#timeoutMs - performance.now();
    if (leftMs <= 0) {
      this.#onOver(`the command did not end within ${durationText(this.#timeoutMs)} of ${signal}`);
      return;
    }
    const nextMs = Math.min(Math.ceil(leftMs), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#look(signal, startMs), nextMs);
  }
}
