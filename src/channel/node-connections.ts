import type { Clock, Entropy, Timer } from "../coordinator/ports.js";
import { reconnectDelayMs } from "../protocol/backoff.js";
import { BriefUses } from "./brief-uses.js";
import { NodeConnection, type Handshake } from "./node-connection.js";
import type {
  ConnectionFailure,
  HandshakeRequest,
  PreviousConnection,
  RecordOrder,
  Transport,
} from "./transport.js";

/** The question of a node's channel; the identity of the asking client is added here. */
export type HandshakeQuestion = Omit<
  HandshakeRequest,
  "number" | "connectionName" | "previous" | "newId" | "wallMs"
>;

/** The owner of the connections to a node. */
export interface ConnectedNode {
  /** What a handshake asks in addition to the identity of the previous connection. */
  request(order: RecordOrder | undefined): HandshakeQuestion;
  /**
   * Ends the connection if the server must not be used.
   *
   * @param ownSinceMs before this client sent what wrote the record, lease clock, ms; undefined if another wrote it
   */
  onHandshake(connection: NodeConnection, handshake: Handshake, ownSinceMs?: number): void;
  /**
   * @param mayRetry false where one connection after another breaks soon
   * @returns whether to reconnect immediately
   */
  onEnd(connection: NodeConnection, failure: ConnectionFailure, mayRetry: boolean): boolean;
  /** The next attempt begins. */
  onTry(): void;
}

/** One connection to a node after another, until it is closed; each tells the node which one preceded it. */
export class NodeConnections {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #handshakeTimeoutMs: number;
  readonly #node: ConnectedNode;
  #current: NodeConnection | undefined;
  #previous: PreviousConnection | undefined;
  /** Ids offered for a new record, and when, lease clock, ms. A broken connection may have written one of them. */
  #offers = new Map<string, number>();
  #failedCount = 0;
  readonly #uses = new BriefUses();
  /**
   * Connections in a row that ended because a handshake failed. One that was in use before does not count for less: a
   * server that cannot write answers the first handshake, and none that would end a quarantine.
   */
  #refusedCount = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(
    transport: Transport,
    clock: Clock,
    entropy: Entropy,
    handshakeTimeoutMs: number,
    node: ConnectedNode,
  ) {
    this.#transport = transport;
    this.#clock = clock;
    this.#entropy = entropy;
    this.#handshakeTimeoutMs = handshakeTimeoutMs;
    this.#node = node;
  }

  get current(): NodeConnection | undefined {
    return this.#current;
  }

  connect(): void {
    this.#node.onTry();
    const timeoutMs = this.#handshakeTimeoutMs;
    const [transport, clock, entropy] = [this.#transport, this.#clock, this.#entropy];
    const connection = new NodeConnection(transport, clock, entropy, timeoutMs, {
      request: (order) => this.#request(order),
      onHandshake: (handshake) => this.#onHandshake(connection, handshake),
      onEnd: (failure) => this.#onEnd(connection, failure),
    });
    this.#current = connection;
  }

  /** The current one is in use: if it ends, the first attempts after that are immediate again. */
  onUsed(): void {
    this.#failedCount = 0;
    this.#uses.begin(this.#clock.now());
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#current?.end({ message: "closed", isMisconfigured: false });
    this.#current = undefined;
  }

  #request(order: RecordOrder | undefined): Omit<HandshakeRequest, "number" | "connectionName"> {
    const asked = this.#node.request(order);
    const newId = this.#entropy.id();
    if (order?.becomes === "fresh") this.#offers.set(newId, this.#clock.now());
    return { ...asked, previous: this.#previous, newId, wallMs: this.#clock.wallUs() / 1_000 };
  }

  #onHandshake(connection: NodeConnection, handshake: Handshake): void {
    // Not the first of its connection: what is asked later is answered, too.
    if (this.#previous?.name === connection.name) this.#refusedCount = 0;
    this.#previous = { name: connection.name, connectionId: handshake.connectionId };
    const id = handshake.record?.id;
    const ownSinceMs = id === undefined ? undefined : this.#offers.get(id);
    if (id !== undefined)
      this.#offers = new Map(ownSinceMs === undefined ? [] : [[id, ownSinceMs]]);
    this.#node.onHandshake(connection, handshake, ownSinceMs);
  }

  #onEnd(connection: NodeConnection, failure: ConnectionFailure): void {
    if (this.#isClosed || this.#current !== connection) return;
    this.#current = undefined;
    this.#uses.end(this.#clock.now());
    const isPrompt = this.#node.onEnd(connection, failure, this.#uses.count < 2);
    // The listener may have closed the node.
    if (this.#isClosed) return;
    this.#refusedCount = failure.isOfHandshake === true ? this.#refusedCount + 1 : 0;
    if (!isPrompt) {
      const inRow = Math.max(this.#refusedCount, this.#uses.count);
      this.#failedCount = Math.max(this.#failedCount + 1, inRow);
    }
    const delayMs = isPrompt ? 0 : reconnectDelayMs(this.#failedCount, this.#entropy.unit());
    this.#timer = this.#clock.setTimer(delayMs, () => this.connect());
  }
}
