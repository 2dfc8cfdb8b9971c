import type { Clock, Entropy, Timer } from "../coordinator/ports.js";
import { reconnectDelayMs } from "../protocol/backoff.js";
import type { Subscription, Transport } from "./transport.js";

interface EarEvents {
  onMessage(message: string): void;
  onOpen(): void;
  mayPublish(): boolean;
  onUnable(why: string): void;
}

/** A subscription on one node, renewed while it is needed. */
export class Ear {
  isOpen = false;
  readonly #transport: Transport;
  readonly #channel: string;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #events: EarEvents;
  #subscription: Subscription | undefined;
  #retry: Timer | undefined;
  #failedCount = 0;
  #isUnable = false;
  #isClosed = false;

  constructor(
    transport: Transport,
    channel: string,
    clock: Clock,
    entropy: Entropy,
    events: EarEvents,
  ) {
    this.#transport = transport;
    this.#channel = channel;
    this.#clock = clock;
    this.#entropy = entropy;
    this.#events = events;
  }

  open(): void {
    if (this.#isClosed) return;
    this.#subscription = this.#transport.subscribe?.(this.#channel, {
      onOpen: () => {
        if (this.#isClosed) return;
        this.#failedCount = 0;
        this.isOpen = this.#events.mayPublish();
        if (this.isOpen) this.#events.onOpen();
        else this.#onUnable("a script may not publish there");
      },
      onMessage: (message) => {
        if (!this.#isClosed) this.#events.onMessage(message);
      },
      onClose: (refusal) => this.#onClose(refusal),
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#retry?.cancel();
    this.#subscription?.close();
  }

  #onUnable(why: string): void {
    if (!this.#isUnable) this.#events.onUnable(why);
    this.#isUnable = true;
  }

  #onClose(refusal: string | undefined): void {
    this.isOpen = false;
    if (this.#isClosed) return;
    if (refusal !== undefined) this.#onUnable(refusal);
    const delayMs = reconnectDelayMs(++this.#failedCount, this.#entropy.unit());
    this.#retry = this.#clock.setTimer(delayMs, () => this.open());
  }
}
