import type { Clock, Entropy, InboxPort, Timer } from "../coordinator/ports.js";
import { reconnectDelayMs } from "../protocol/backoff.js";
import { inboxChannel } from "../protocol/keys.js";
import {
  parseLossMessage,
  parseNodeGrant,
  parseTurnMessage,
  type NodeGrant,
  type TurnMessage,
} from "../protocol/node-messages.js";
import { INBOX_CHARACTERS } from "../protocol/owner-id.js";
import { quorumSize } from "../protocol/quorum.js";
import { BriefUses } from "./brief-uses.js";
import type { Subscription, Transport } from "./transport.js";

/** Receives what arrives in the inbox. */
export interface InboxListener {
  /** A node, or another client in its name, notifies us. */
  onTurn(index: number, turn: TurnMessage): void;
  /** A node, or another client in its name, says that it has executed our deferred acquire. */
  onGrant(index: number, grant: NodeGrant): void;
  /** A node, or another client in its name, says that it has ended the lock of the owner that begins like that. */
  onLoss(beginning: string): void;
  /** A quorum of nodes reaches us now and did not before. */
  onHeard(): void;
  /** Whether a script may publish on the node, as far as is known. */
  mayPublish(index: number): boolean;
  /** A node cannot notify us: it lets nobody publish or subscribe. Once per node. */
  onUnable(index: number, why: string): void;
}

/**
 * Where the nodes notify this process: one channel for all names, over a separate connection to each node that is
 * opened when an acquire has to wait, or a lock is renewed, for the first time.
 */
export class Inbox implements InboxPort {
  readonly id: string;
  readonly #ears: readonly Ear[];
  #isListening = false;

  constructor(
    transports: readonly Transport[],
    clock: Clock,
    entropy: Entropy,
    listener: InboxListener,
  ) {
    this.id = entropy.id().slice(0, INBOX_CHARACTERS);
    const channel = inboxChannel(this.id);
    this.#ears = transports.map(
      (transport, index) =>
        new Ear(transport, channel, clock, entropy, {
          onMessage: (message) => {
            const turn = parseTurnMessage(message);
            if (turn !== undefined) return listener.onTurn(index, turn);
            const grant = parseNodeGrant(message);
            if (grant !== undefined) return listener.onGrant(index, grant);
            const beginning = parseLossMessage(message);
            if (beginning !== undefined) listener.onLoss(beginning);
          },
          mayPublish: () => listener.mayPublish(index),
          onUnable: (why) => listener.onUnable(index, why),
          onOpen: () => {
            if (this.#openCount === quorumSize(this.#ears.length)) listener.onHeard();
          },
        }),
    );
  }

  get isHeard(): boolean {
    return this.#openCount >= quorumSize(this.#ears.length);
  }

  get #openCount(): number {
    return this.#ears.filter(({ isOpen }) => isOpen).length;
  }

  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    for (const ear of this.#ears) ear.open();
  }

  close(): void {
    for (const ear of this.#ears) ear.close();
  }
}

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
  readonly #uses = new BriefUses();
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
        this.#uses.begin(this.#clock.now());
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
    this.#uses.end(this.#clock.now());
    this.#failedCount = Math.max(this.#failedCount + 1, this.#uses.count);
    const delayMs = reconnectDelayMs(this.#failedCount, this.#entropy.unit());
    this.#retry = this.#clock.setTimer(delayMs, () => this.open());
  }
}
