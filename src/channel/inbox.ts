import type { Clock, Entropy, InboxPort } from "../coordinator/ports.js";
import { inboxChannel } from "../protocol/keys.js";
import {
  parseLossMessage,
  parseNodeGrant,
  parseTurnMessage,
  type NodeGrant,
  type TurnMessage,
} from "../protocol/node-messages.js";
import { INBOX_CHARACTERS } from "../protocol/holder.js";
import { quorumSize } from "../protocol/quorum.js";
import { Ear } from "./ear.js";
import type { Transport } from "./transport.js";

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
