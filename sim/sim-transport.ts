import { connectionToEnd, idsNamed } from "../src/channel/previous-connection.js";
import type {
  Batch,
  BatchReply,
  Connection,
  ConnectionEvents,
  ConnectionFailure,
  HandshakeReply,
  HandshakeRequest,
  PreviousConnection,
  Subscription,
  SubscriptionEvents,
  Transport,
} from "../src/channel/transport.js";
import { Lane } from "./lane.js";
import type { Link, LinkEnd } from "./link.js";
import type { ServerMessage, ServerSocket, SimNode } from "./sim-node.js";
import type { SimProcess } from "./sim-process.js";
import type { ForeignStep } from "./node-keys.js";
import { SimSubscription } from "./sim-subscription.js";
import type { CommandReply, SimConstants } from "./sim-server.js";

/** Connections of one client process to one simulated node. */
export class SimTransport implements Transport {
  readonly name: string;
  readonly #node: SimNode;
  readonly #end: LinkEnd;
  readonly #constants: SimConstants;
  readonly #subscriptions = new Set<SimSubscription>();
  #current: SimConnection | undefined;

  constructor(node: SimNode, end: LinkEnd, constants: SimConstants) {
    this.name = `n${node.index}`;
    this.#node = node;
    this.#end = end;
    this.#constants = constants;
  }

  connect(events: ConnectionEvents): Connection {
    this.#current = new SimConnection(this.#node, this.#end, this.#constants, events);
    return this.#current;
  }

  subscribe(channel: string, events: SubscriptionEvents): Subscription {
    const subscription = new SimSubscription(this.#node, this.#end, channel, events);
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
    this.#toNode = new Lane(link, "toNode");
    this.#toClient = new Lane(link, "toClient");
    this.#unregister = link.register(() => this.#break());
    this.#toNode.carry(
      () => this.#onArrived(),
      () => this.#breakLater(),
    );
  }

  handshake(request: HandshakeRequest, reply: (reply: HandshakeReply) => void): void {
    this.#ask<HandshakeReply>(
      (answer) => ({ kind: "handshake", request, answer }),
      (handshake) => {
        const previous =
          handshake.kind === "handshake" ? connectionToEnd(request, handshake) : undefined;
        if (previous === undefined) reply(handshake);
        else this.#endPrevious(previous, () => reply(handshake));
      },
    );
  }

  #endPrevious({ connectionId, name }: PreviousConnection, done: () => void): void {
    this.#ask<string>(
      (answer) => ({ kind: "list", connectionId, answer }),
      (list) => {
        const [id] = idsNamed(name, list);
        if (id === undefined) done();
        else
          this.#ask(
            (answer) => ({ kind: "kill", connectionId: id, answer: () => answer(0) }),
            done,
          );
      },
    );
  }

  send(batch: Batch, reply: (reply: BatchReply) => void): void {
    const constants = this.#constants;
    this.#ask<BatchReply>((answer) => ({ kind: "batch", batch, constants, answer }), reply);
  }

  /** A command of foreign code. */
  command(argv: readonly string[], by: ForeignStep, reply: (reply: CommandReply) => void): void {
    this.#ask<CommandReply>((answer) => ({ kind: "command", argv, by, answer }), reply);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#toNode.abandon();
    this.#end("the connection was closed");
  }

  /** One request and its answer; duplicates of the answer are ignored. */
  #ask<Reply>(
    messageOf: (answer: (reply: Reply) => void) => ServerMessage,
    reply: (reply: Reply) => void,
  ): void {
    // The kernel rejects data for a connection that it has given up.
    if (this.#isEnding) return;
    let isAnswered = false;
    const onReply = (answer: Reply): void => {
      if (this.#isClosed || isAnswered) return;
      isAnswered = true;
      reply(answer);
    };
    const message = messageOf((answer) =>
      this.#toClient.carry(
        () => this.#process.enter(() => onReply(answer)),
        () => this.#breakLater(),
      ),
    );
    this.#toNode.carry(
      () => this.#onMessage(message),
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

  #onMessage(message: ServerMessage): void {
    const socket = this.#socket;
    if (socket === undefined || socket.isKilled) {
      this.#refuse("the server does not know the connection");
    } else {
      this.#node.receive(socket, message);
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
