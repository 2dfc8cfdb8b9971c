import type { Subscription, SubscriptionEvents } from "../src/channel/transport.js";
import type { TurnEvent } from "./oracles/history.js";
import { Lane } from "./lane.js";
import type { LinkEnd } from "./link.js";
import type { SimNode } from "./sim-node.js";

/** Sees what becomes of the messages of one node to one process. */
export interface InboxObserver {
  /** Called for each message when the server sends it, and when it arrives. */
  onMessage(message: string, what: TurnEvent["what"]): void;
  /** From now on the server finds a listener, or none. */
  onListening(isListening: boolean): void;
}

const NOBODY: InboxObserver = { onMessage: () => {}, onListening: () => {} };

/** A client's subscription on one node, over its own connection. */
export class SimSubscription implements Subscription {
  readonly #node: SimNode;
  readonly #end: LinkEnd;
  readonly #events: SubscriptionEvents;
  readonly #toClient: Lane;
  readonly #unregister: () => void;
  readonly #observer: InboxObserver;
  #unsubscribe: (() => void) | undefined;
  #isCounted = false;
  #isOver = false;

  constructor(
    node: SimNode,
    end: LinkEnd,
    channel: string,
    events: SubscriptionEvents,
    observer = NOBODY,
  ) {
    this.#observer = observer;
    this.#node = node;
    this.#end = end;
    this.#events = events;
    this.#toClient = new Lane(end.link, "toClient");
    this.#unregister = end.link.register(() => this.#break());
    const toNode = new Lane(end.link, "toNode");
    toNode.carry(
      () => this.#onArrived(channel),
      () => this.#break(),
    );
  }

  /** The kernel tells the server at once; nothing more is reported. */
  close(): void {
    this.#isOver = true;
    this.#unregister();
    if (this.#unsubscribe === undefined) return;
    this.#unsubscribe();
    this.#unsubscribe = undefined;
    this.#countNoMore();
  }

  #onArrived(channel: string): void {
    if (this.#isOver) return;
    this.#unsubscribe = this.#node.subscribe(channel, {
      onMessage: (message) => this.#onMessage(message),
      reset: () => this.#break(),
      onRelayed: () => this.#countNoMore(),
    });
    if (this.#unsubscribe === undefined) this.#break();
    else {
      this.#isCounted = true;
      this.#observer.onListening(true);
      this.#tell(() => this.#events.onOpen());
    }
  }

  #countNoMore(): void {
    if (this.#isCounted) this.#observer.onListening(false);
    this.#isCounted = false;
  }

  #onMessage(message: string): void {
    this.#observer.onMessage(message, "told");
    this.#tell(() => {
      this.#observer.onMessage(message, "heard");
      this.#events.onMessage(message);
    });
  }

  #tell(what: () => void): void {
    const deliver = (): void => {
      if (!this.#isOver) what();
    };
    this.#toClient.carry(
      () => this.#end.process.enter(deliver),
      () => this.#break(),
    );
  }

  #break(): void {
    if (this.#isOver) return;
    this.close();
    this.#end.process.enter(() => this.#events.onClose());
  }
}
