import type { Clock, Entropy, Timer } from "../coordinator/ports.js";
import { firstNumber, outOfStep } from "./out-of-step.js";
import { setPatientTimer } from "./patient-timer.js";
import { sizeOf } from "../protocol/operation.js";
import type {
  Batch,
  BatchReply,
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

/**
 * The life of one connection: it opens, shakes hands (again on request), and ends, at the latest with a reply that is
 * not that of its request.
 */
export class NodeConnection {
  /** On the server; random, as its first number is. */
  readonly name: string;
  /** A handshake was answered. */
  isHandshakeDone = false;
  /** Operations were let through, so keys may have been stored over this connection. */
  wasAdmitted = false;

  readonly #clock: Clock;
  readonly #handshakeTimeoutMs: number;
  readonly #events: NodeConnectionEvents;
  readonly #wire: Connection;
  /** Of the next request. */
  #number: number;
  #isOver = false;
  #isHandshaking = false;
  #askAgain: { order: RecordOrder | undefined } | undefined;
  #timer: Timer | undefined;

  constructor(
    transport: Transport,
    clock: Clock,
    entropy: Entropy,
    handshakeTimeoutMs: number,
    events: NodeConnectionEvents,
  ) {
    this.#number = firstNumber(entropy);
    this.name = `quorate-${entropy.id()}`;
    this.#clock = clock;
    this.#handshakeTimeoutMs = handshakeTimeoutMs;
    this.#events = events;
    this.#armTimer();
    this.#wire = transport.connect({
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

  /** One script call. Where the connection ends first, it is not answered. @returns its number */
  send(
    { operations, recordId, withScript }: Omit<Batch, "number">,
    onReply: (reply: BatchReply) => void,
  ): number {
    const batch = { operations, recordId, withScript, number: this.#number };
    this.#number += sizeOf(operations);
    this.#wire.send(batch, (reply) => {
      if (this.#isInStep(batch, reply)) onReply(reply);
    });
    return batch.number;
  }

  /** Ends the connection; after this only its end is reported. */
  end(failure: ConnectionFailure): void {
    if (this.#isOver) return;
    this.#wire.close();
    this.#over(failure);
  }

  #ask(order: RecordOrder | undefined): void {
    if (this.#isOver) return;
    this.#isHandshaking = true;
    this.#armTimer();
    const sentSteadyMs = this.#clock.steady();
    const [number, connectionName] = [this.#number++, this.name];
    const request = { ...this.#events.request(order), number, connectionName };
    this.#wire.handshake(request, (reply) => this.#onReply(request, reply, sentSteadyMs));
  }

  #onReply(request: HandshakeRequest, reply: HandshakeReply, sentSteadyMs: number): void {
    if (this.#isOver) return;
    this.#isHandshaking = false;
    this.#timer?.cancel();
    if (reply.kind === "failed") {
      this.end(reply.failure);
      return;
    }
    if (!this.#isInStep(request, reply)) return;
    this.isHandshakeDone = true;
    const again = this.#askAgain;
    this.#askAgain = undefined;
    // An answer that may be older than a later question is ignored.
    if (again === undefined) this.#events.onHandshake({ ...reply, sentSteadyMs });
    else this.#ask(again.order);
  }

  /** Whether the reply counts: it is that of the request, and the connection has not ended before. */
  #isInStep(request: HandshakeRequest | Batch, reply: HandshakeReply | BatchReply): boolean {
    if (this.#isOver) return false;
    const failure = outOfStep(request, reply);
    if (failure !== undefined) this.end(failure);
    return failure === undefined;
  }

  #armTimer(): void {
    this.#timer?.cancel();
    this.#timer = setPatientTimer(this.#clock, this.#handshakeTimeoutMs, () => {
      const { stage } = this.#wire;
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
