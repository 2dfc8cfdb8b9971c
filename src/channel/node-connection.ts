import type { Clock, Timer } from "../coordinator/ports.js";
import { outOfStep, RequestNumbers, type NumberedConnection } from "./out-of-step.js";
import { setPatientTimer } from "./patient-timer.js";
import type {
  Connection,
  ConnectionFailure,
  HandshakeReply,
  HandshakeRequest,
  RecordOrder,
  Transport,
} from "./transport.js";

/** A successful handshake, which identifies the server. */
export interface Handshake extends Extract<HandshakeReply, { kind: "handshake" }> {
  /** When it was asked, monotonic clock, ms. */
  readonly sentSteadyMs: number;
}

export interface NodeConnectionEvents {
  /** The question to ask, taken when the handshake is sent. */
  request(order: RecordOrder | undefined): Omit<HandshakeRequest, "number" | "connectionName">;
  /** Never older than the last {@link NodeConnection.handshake}. */
  onHandshake(handshake: Handshake): void;
  /** The connection has ended, on its own or by {@link NodeConnection.end}. Once. */
  onEnd(failure: ConnectionFailure): void;
}

/** What tells a connection from others, at random. */
export interface ConnectionIdentity {
  /** The number of its first request. */
  readonly firstNumber: number;
  /** On the server. */
  readonly name: string;
}

/** The life of one connection: it opens, shakes hands (again on request), and ends. */
export class NodeConnection implements NumberedConnection {
  readonly wire: Connection;
  /** Of all requests on it. */
  readonly numbers: RequestNumbers;
  /** On the server. */
  readonly name: string;
  /** A handshake was answered. */
  isHandshakeDone = false;
  /** Operations were let through, so keys may have been stored over this connection. */
  wasAdmitted = false;

  readonly #clock: Clock;
  readonly #handshakeTimeoutMs: number;
  readonly #events: NodeConnectionEvents;
  #isOver = false;
  #isHandshaking = false;
  #askAgain: { order: RecordOrder | undefined } | undefined;
  #timer: Timer | undefined;

  constructor(
    transport: Transport,
    clock: Clock,
    handshakeTimeoutMs: number,
    { firstNumber, name }: ConnectionIdentity,
    events: NodeConnectionEvents,
  ) {
    this.numbers = new RequestNumbers(firstNumber);
    this.name = name;
    this.#clock = clock;
    this.#handshakeTimeoutMs = handshakeTimeoutMs;
    this.#events = events;
    this.#armTimer();
    this.wire = transport.connect({
      onOpen: () => this.#ask(undefined),
      onClose: (failure) => this.#over(failure),
    });
  }

  get isHandshaking(): boolean {
    return this.#isHandshaking;
  }

  /** Asks again who the server is, once the connection is open. */
  handshake(order: RecordOrder | undefined): void {
    if (this.#isOver || !(this.isHandshakeDone || this.#isHandshaking)) return;
    if (this.#isHandshaking) this.#askAgain = { order: this.#askAgain?.order ?? order };
    else this.#ask(order);
  }

  /** Ends the connection; after this only its end is reported. */
  end(failure: ConnectionFailure): void {
    if (this.#isOver) return;
    this.wire.close();
    this.#over(failure);
  }

  #ask(order: RecordOrder | undefined): void {
    if (this.#isOver) return;
    this.#isHandshaking = true;
    this.#armTimer();
    const sentSteadyMs = this.#clock.steady();
    const [number, connectionName] = [this.numbers.take(1), this.name];
    const request = { ...this.#events.request(order), number, connectionName };
    this.wire.handshake(request, (reply) => this.#onReply(request, reply, sentSteadyMs));
  }

  #onReply(request: HandshakeRequest, reply: HandshakeReply, sentSteadyMs: number): void {
    if (this.#isOver) return;
    this.#isHandshaking = false;
    this.#timer?.cancel();
    if (reply.kind === "failed") {
      this.end(reply.failure);
      return;
    }
    const failure = outOfStep(request, reply);
    if (failure !== undefined) {
      this.end(failure);
      return;
    }
    this.isHandshakeDone = true;
    const again = this.#askAgain;
    this.#askAgain = undefined;
    // An answer that may be older than a later question is ignored.
    if (again === undefined) this.#events.onHandshake({ ...reply, sentSteadyMs });
    else this.#ask(again.order);
  }

  #armTimer(): void {
    this.#timer?.cancel();
    this.#timer = setPatientTimer(this.#clock, this.#handshakeTimeoutMs, () => {
      const { stage } = this.wire;
      const waiting = stage === undefined ? "" : `: ${stage}`;
      const message = `no handshake within ${this.#handshakeTimeoutMs} ms${waiting}`;
      this.end({ message, isMisconfigured: false });
    });
  }

  #over(failure: ConnectionFailure): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    this.#events.onEnd(failure);
  }
}
