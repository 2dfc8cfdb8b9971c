import type { Blockade, Link, Way } from "./link.js";

interface Stalled {
  readonly why: Blockade;
  readonly send: () => void;
}

/** One direction of one connection: its bytes, in order where the network keeps an order. */
export class Lane {
  readonly #link: Link;
  readonly #way: Way;
  #lastArrivalUs = 0;
  #stalled: Stalled[] = [];
  /** The sender has closed: see {@link Lane.abandon}. */
  #isAbandoned = false;
  /** Nothing behind a byte that got lost arrives. */
  #isBroken = false;

  constructor(link: Link, way: Way) {
    this.#link = link;
    this.#way = way;
  }

  /** Carries one message. `lose` is called instead of `arrive` if it is lost on the way. */
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

  /** The sender has closed: what has not left it, leaves no more. What is under way may arrive yet. */
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
        // Something ahead of it on the same connection is still lingering.
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
