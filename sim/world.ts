import { EventQueue, type SimEvent } from "./event-queue.js";

/** Steps scheduled at once: Node empties the promise queue between any two of them. */
const STEPS_AT_ONCE = 64;

/** Orders an event before all others of its instant. */
const FIRST = 2 ** 48;

/**
 * Runs a step in its own turn of the event loop: after all promise jobs of the previous step, and in the order of
 * the calls.
 */
export type NextTurn = (step: () => void) => void;

/** Discrete events over virtual time in whole microseconds. */
export class World {
  nowUs = 0;
  /** Events run so far. */
  eventCount = 0;
  readonly #queue = new EventQueue();
  #order = 0;
  readonly #nextTurn: NextTurn;

  /** @param nextTurn by default Node's setImmediate, which browsers lack */
  constructor(nextTurn: NextTurn = setImmediate) {
    this.#nextTurn = nextTurn;
  }

  /** Runs code of nodes and network at the instant. The returned event can cancel it. */
  at(atUs: number, run: () => void): SimEvent {
    return this.#push(atUs, run, false);
  }

  /** Runs client code at the instant; all resulting promise jobs run before time advances. */
  atClient(atUs: number, run: () => void): SimEvent {
    return this.#push(atUs, run, true);
  }

  /** Runs client code right after this event and its promise jobs, before everything else that is due now. */
  afterThis(run: () => void): SimEvent {
    const event = { atUs: this.nowUs, order: this.#order++ - FIRST, isClient: true, run };
    this.#queue.push(event);
    return event;
  }

  /** Runs everything up to the instant, and stops the clock there. */
  run(untilUs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      let pendingSteps = 0;
      const step = (): void => {
        pendingSteps--;
        if (isOver) return;
        try {
          isOver = this.#runToClient(untilUs);
        } catch (error) {
          isOver = true;
          reject(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        if (isOver) {
          this.nowUs = Math.max(this.nowUs, untilUs);
          resolve();
        } else if (pendingSteps === 0) {
          handOver();
        }
      };
      // A step is an immediate: promise jobs and ticks complete before the next one starts. That is exact, whereas a
      // fixed number of `await`s would be a guess. Running many of them per turn of the event loop saves the cost of
      // the turns.
      const handOver = (): void => {
        pendingSteps = STEPS_AT_ONCE;
        for (let count = 0; count < STEPS_AT_ONCE; count++) this.#nextTurn(step);
      };
      handOver();
    });
  }

  /** Runs up to and including one client event; true when nothing is left. */
  #runToClient(untilUs: number): boolean {
    for (;;) {
      const top = this.#queue.peek();
      if (top === undefined || top.atUs > untilUs) return true;
      this.#queue.pop();
      const { run } = top;
      if (run === undefined) continue;
      this.nowUs = top.atUs;
      this.eventCount++;
      top.run = undefined;
      run();
      if (top.isClient) return false;
    }
  }

  #push(atUs: number, run: () => void, isClient: boolean): SimEvent {
    const event = { atUs: Math.max(atUs, this.nowUs), order: this.#order++, isClient, run };
    this.#queue.push(event);
    return event;
  }
}
