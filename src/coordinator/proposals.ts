import { FENCE_STEP, fenceAfter } from "../protocol/fencing.js";
import type { Clock } from "./ports.js";

/** Releases within that time have the same proposal, µs. */
const RELEASE_STEP_US = 1_000;

/**
 * Fencing proposals of this process. All requests of one turn of the event loop get the same proposal, which a batch
 * then carries once. That is safe: names have separate tokens, and attempts for one name get different fences from
 * any node that grants both.
 */
export class Proposals {
  readonly #clock: Pick<Clock, "wallUs" | "defer">;
  #last = 0;
  #isOfThisTurn = false;

  constructor(clock: Pick<Clock, "wallUs" | "defer">) {
    this.#clock = clock;
  }

  /**
   * For waiters who get a name with a release: nearly always the same for all releases of a turn, at the price of reading
   * a clock. Where it is not above the last fence, nodes count on from that.
   */
  get ofRelease(): number {
    const nowUs = this.#clock.wallUs();
    return nowUs - (nowUs % RELEASE_STEP_US);
  }

  /** The time of day, down to a fence; larger than that of any earlier turn, even if the wall clock goes back. */
  get current(): number {
    if (this.#isOfThisTurn) return this.#last;
    this.#last = fenceAfter(Math.max(this.#last, this.#clock.wallUs() - FENCE_STEP));
    this.#isOfThisTurn = true;
    this.#clock.defer(() => {
      this.#isOfThisTurn = false;
    });
    return this.#last;
  }
}
