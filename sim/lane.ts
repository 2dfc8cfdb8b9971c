import type { Blockade, Link, Way } from "./link.js";

interface Stalled {
  readonly why: Blockade;
  readonly send: () => void;
}

/** One direction of a connection. Its messages stay in order if the network preserves order. */
export class Lane {
  readonly #link: Link;
  readonly #way: Way;
  #lastArrivalUs = 0;
  #stalled: Stalled[] = [];
  /** The sender has closed the connection: see {@link Lane.abandon}. */
  #isAbandoned = false;
  /** A byte was lost: nothing sent after it arrives. */
  #isBroken = false;

  constructor(link: Link, way: Way) {
    this.#link = link;
    this.#way = way;
  }

  /** Carries one message. If it is lost on the way, `lose` is called instead of `arrive`. */
  carry(arrive: () => void, lose: () => void): void {
    if (this.#isBroken) return;
    const link = this.#link;
    const tell = link.watch(this.#way);
    const deliver = (): void => {
      tell?.(false);
      arrive();
    };
    const message = link.nameMessage(this.#way);
    const { kind, dropPerMille, duplicatePerMille } = link.network;
    const why = link.blockade(this.#way);
    if (kind === "unordered") {
      if (why === "partition" || link.happens(dropPerMille, message, "drop")) {
        tell?.(true);
        return;
      }
      this.#depart(message, deliver, false);
      if (link.happens(duplicatePerMille, message, "twice")) {
        this.#depart(`${message} again`, deliver, false);
      }
      return;
    }
    if (link.happens(dropPerMille, message, "drop")) {
      this.#isBroken = true;
      tell?.(true);
      lose();
    } else if (why === undefined) {
      this.#depart(message, deliver, true);
    } else {
      this.#stall({ why, send: () => this.#depart(message, deliver, true) });
    }
  }

  /** The sender has closed: data not yet sent is dropped. Data under way may still arrive. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#stalled = this.#stalled.filter(({ why }) => why === "hold");
  }

  #stall(stalled: Stalled): void {
    if (this.#stalled.length === 0) this.#link.whenOpen(this.#way, () => this.#flush());
    this.#stalled.push(stalled);
  }

  #flush(): void {
    for (const { send } of this.#stalled.splice(0)) send();
  }

  #depart(message: string, deliver: () => void, isOrdered: boolean): void {
    const arrivalUs = this.#link.nowUs + this.#link.delayUs(message);
    this.#arriveAt(arrivalUs, message, deliver, isOrdered);
  }

  #arriveAt(atUs: number, message: string, deliver: () => void, isOrdered: boolean): void {
    const arrivalUs = isOrdered ? Math.max(atUs, this.#lastArrivalUs) : atUs;
    this.#lastArrivalUs = Math.max(arrivalUs, this.#lastArrivalUs);
    this.#link.at(arrivalUs, () => {
      const isLate = isOrdered && this.#link.nowUs < this.#holdUntilUs;
      if (isLate) {
        // An earlier message on the same connection is still held back.
        this.#link.at(this.#holdUntilUs, deliver);
      } else if (
        this.#isAbandoned &&
        this.#link.happens(this.#link.network.zombiePerMille, message, "zombie")
      ) {
        const untilUs = this.#link.nowUs + this.#link.zombieUs(message);
        if (isOrdered) this.#holdUntilUs = untilUs;
        this.#link.at(untilUs, deliver);
      } else {
        deliver();
      }
    });
  }

  #holdUntilUs = 0;
}
