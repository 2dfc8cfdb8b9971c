import type { Subscription, SubscriptionEvents } from "../src/channel/transport.js";
import { Lane } from "./lane.js";
import type { LinkEnd } from "./link.js";
import type { SimNode } from "./sim-node.js";

/** A client's subscription on one node, over its own connection. */
export class SimSubscription implements Subscription {
  readonly #node: SimNode;
  readonly #end: LinkEnd;
  readonly #events: SubscriptionEvents;
  readonly #toClient: Lane;
  readonly #unregister: () => void;
  #unsubscribe: (() => void) | undefined;
  #isOver = false;

  constructor(node: SimNode, end: LinkEnd, channel: string, events: SubscriptionEvents) {
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
    this.#unsubscribe?.();
  }

  #onArrived(channel: string): void {
    if (this.#isOver) return;
    this.#unsubscribe = this.#node.subscribe(channel, {
      onMessage: (message) => this.#tell(() => this.#events.onMessage(message)),
      reset: () => this.#break(),
    });
    if (this.#unsubscribe === undefined) this.#break();
    else this.#tell(() => this.#events.onOpen());
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
