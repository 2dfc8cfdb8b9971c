import { nextProposal } from "../protocol/fencing.js";
import type { Clock } from "./ports.js";

/**
 * Fencing proposals of this process. All that is asked in one turn of the event loop gets the same one, which a
 * batch then carries once: names have tokens of their own, and attempts for one name draw different fences from
 * any node that grants both.
 */
export class Proposals {
  readonly #clock: Pick<Clock, "wallUs" | "defer">;
  #last = 0;
  #isOfThisTurn = false;

  constructor(clock: Pick<Clock, "wallUs" | "defer">) {
    this.#clock = clock;
  }

  /** Larger than that of any earlier turn, whatever the wall clock does. */
  get current(): number {
    if (this.#isOfThisTurn) return this.#last;
    this.#last = nextProposal(this.#last, this.#clock.wallUs());
    this.#isOfThisTurn = true;
    this.#clock.defer(() => {
      this.#isOfThisTurn = false;
    });
    return this.#last;
  }
}
