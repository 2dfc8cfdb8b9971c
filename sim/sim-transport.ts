import { connectionsToEnd } from "../src/channel/previous-connection.js";
import type {
  Batch,
  BatchReply,
  Connection,
  ConnectionEvents,
  ConnectionFailure,
  HandshakeReply,
  HandshakeRequest,
  Subscription,
  SubscriptionEvents,
  Transport,
} from "../src/channel/transport.js";
import { watchChannel } from "../src/protocol/keys.js";
import { Lane } from "./lane.js";
import type { Link, LinkEnd } from "./link.js";
import type { ServerMessage, ServerSocket, SimNode } from "./sim-node.js";
import type { SimProcess } from "./sim-process.js";
import type { ForeignStep } from "./node-keys.js";
import { batchReplyIn, handshakeReplyIn } from "./read-reply.js";
import { SimProxy } from "./sim-proxy.js";
import { SimSubscription, type InboxObserver } from "./sim-subscription.js";
import type { CommandReply, SimConstants } from "./sim-server.js";

/** Connections of one client process to one simulated node. */
export class SimTransport implements Transport {
  readonly name: string;
  readonly #node: SimNode;
  readonly #end: LinkEnd;
  readonly #constants: SimConstants;
  readonly #inbox: InboxObserver;
  readonly #subscriptions = new Set<SimSubscription>();
  #current: SimConnection | undefined;

  constructor(node: SimNode, end: LinkEnd, constants: SimConstants, inbox: InboxObserver) {
    this.name = `n${node.index}`;
    this.#inbox = inbox;
    this.#node = node;
    this.#end = end;
    this.#constants = constants;
  }

  connect(events: ConnectionEvents): Connection {
    this.#current = new SimConnection(this.#node, this.#end, this.#constants, events);
    return this.#current;
  }

  subscribe(channel: string, events: SubscriptionEvents): Subscription {
    // Who observes a name is told who holds it: that wakes nobody who waits, and is no news of a loss.
    const inbox = channel.startsWith(watchChannel("")) ? undefined : this.#inbox;
    const subscription = new SimSubscription(this.#node, this.#end, channel, events, inbox);
    this.#subscriptions.add(subscription);
    return {
      close: () => {
        this.#subscriptions.delete(subscription);
        subscription.close();
      },
    };
  }

  /** The client process died: its kernel closes its connections. */
  crash(): void {
    this.#current?.close();
    for (const subscription of this.#subscriptions) subscription.close();
    this.#subscriptions.clear();
  }
}

export class SimConnection implements Connection {
  readonly #node: SimNode;
  readonly #link: Link;
  readonly #process: SimProcess;
  readonly #constants: SimConstants;
  readonly #events: ConnectionEvents;
  readonly #toNode: Lane;
  readonly #toClient: Lane;
  readonly #unregister: () => void;
  readonly #proxy: SimProxy;
  /** Requests without a reply, in order. */
  readonly #waiting = new Set<(reply: CommandReply) => void>();
  #socket: ServerSocket | undefined;
  /** The network has given it up; data that arrived before is still read. */
  #isEnding = false;
  /** The client has closed it, or has learned that it is closed. */
  #isClosed = false;

  constructor(
    node: SimNode,
    { link, process }: LinkEnd,
    constants: SimConstants,
    events: ConnectionEvents,
  ) {
    this.#node = node;
    this.#link = link;
    this.#process = process;
    this.#constants = constants;
    this.#events = events;
    this.#proxy = new SimProxy(link.name, node.lastReplies);
    this.#toNode = new Lane(link, "toNode");
    this.#toClient = new Lane(link, "toClient");
    this.#unregister = link.register(() => this.#break());
    this.#toNode.carry(
      () => this.#onArrived(),
      () => this.#breakLater(),
    );
  }

  handshake(request: HandshakeRequest, reply: (reply: HandshakeReply) => void): void {
    this.#ask({ kind: "handshake", request }, (raw) => {
      const [handshake, list] = handshakeReplyIn(raw);
      const [connectionId] = handshake.kind === "failed" ? [] : connectionsToEnd(request, list);
      if (connectionId === undefined) reply(handshake);
      else this.#ask({ kind: "kill", connectionId }, () => reply(handshake));
    });
  }

  send(batch: Batch, reply: (reply: BatchReply) => void): void {
    this.#ask({ kind: "batch", batch, constants: this.#constants }, (raw) =>
      reply(batchReplyIn(raw, batch.operations)),
    );
  }

  /** A command of foreign code. */
  command(argv: readonly string[], by: ForeignStep, reply: (reply: CommandReply) => void): void {
    this.#ask({ kind: "command", argv, by }, reply);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#toNode.abandon();
    this.#end("the connection was closed");
  }

  /** One request and its reply. */
  #ask(message: ServerMessage, reply: (reply: CommandReply) => void): void {
    // The kernel rejects data for a connection that it has given up.
    if (this.#isEnding) return;
    const answer = this.#replyTo(reply);
    this.#toNode.carry(
      () => this.#onMessage(message, answer),
      () => this.#breakLater(),
    );
  }

  /** How the node answers. In order, a reply is taken for that of the oldest request without one: nothing else tells. */
  #replyTo(reply: (reply: CommandReply) => void): (reply: CommandReply) => void {
    if (this.#link.network.kind === "unordered") {
      // Each has an address of its own; duplicates are ignored.
      const waiting = new Set([reply]);
      return (raw) => this.#return(raw, waiting);
    }
    this.#waiting.add(reply);
    return (raw) => {
      this.#proxy.pass(raw, this.#link.nextMixup(), (each) => this.#return(each, this.#waiting));
    };
  }

  #return(raw: CommandReply, waiting: Set<(reply: CommandReply) => void>): void {
    const take = (): void => {
      const [reply] = waiting;
      if (this.#isClosed || reply === undefined) return;
      waiting.delete(reply);
      reply(raw);
    };
    this.#toClient.carry(
      () => this.#process.enter(take),
      () => this.#breakLater(),
    );
  }

  #onArrived(): void {
    if (this.#node.state === "down") {
      this.#refuse("connection refused");
      return;
    }
    this.#socket = this.#node.accept(() => this.#refuse("the server closed the connection"));
    this.#toClient.carry(
      () => this.#process.enter(() => !this.#isClosed && this.#events.onOpen()),
      () => this.#breakLater(),
    );
  }

  #onMessage(message: ServerMessage, answer: (reply: CommandReply) => void): void {
    const socket = this.#socket;
    if (socket === undefined || socket.isKilled) {
      this.#refuse("the server does not know the connection");
    } else {
      this.#node.receive({ socket, message, answer });
    }
  }

  /** The server's kernel closes the connection, after the replies under way. */
  #refuse(message: string): void {
    if (this.#isEnding) return;
    const end = (): void => this.#end(message);
    this.#toClient.carry(end, end);
  }

  /** A byte was lost permanently; the kernels need a while to find out. */
  #breakLater(): void {
    const laterUs = this.#link.resetUs(this.#link.nameMessage("toClient"));
    this.#link.at(this.#link.nowUs + laterUs, () => this.#break());
  }

  /** The client's end is gone; data not yet sent is dropped. */
  #break(): void {
    this.#toNode.abandon();
    this.#end("the connection was reset");
  }

  #end(message: string): void {
    if (this.#isEnding) return;
    const failure: ConnectionFailure = { message, isMisconfigured: false };
    this.#isEnding = true;
    this.#unregister();
    this.#process.enter(() => {
      this.#isClosed = true;
      this.#events.onClose(failure);
    });
  }
}
