import type { Clock, Timer } from "../coordinator/ports.js";
import { setPatientTimer } from "./patient-timer.js";
import type {
  Connection,
  ConnectionFailure,
  HandshakeReply,
  HandshakeRequest,
  Transport,
} from "./transport.js";

/** A handshake that was answered with who the server is. */
export type Handshake = Extract<HandshakeReply, { kind: "handshake" }>;

export interface NodeConnectionEvents {
  /** What to ask, when the handshake is sent. */
  request(openId: string | undefined): HandshakeRequest;
  /** Never older than the last {@link NodeConnection.handshake}. */
  onHandshake(handshake: Handshake): void;
  /** The connection is over, by itself or by {@link NodeConnection.end}. Once. */
  onEnd(failure: ConnectionFailure): void;
}

/** The life of one connection: it opens, shakes hands (again when asked), and ends. */
export class NodeConnection {
  readonly wire: Connection;
  /** A handshake was answered. */
  isHandshakeDone = false;
  /** Operations were let through, so keys may have been stored over this connection. */
  wasAdmitted = false;

  readonly #clock: Clock;
  readonly #handshakeTimeoutMs: number;
  readonly #events: NodeConnectionEvents;
  #isOver = false;
  #isHandshaking = false;
  #askAgain: { openId: string | undefined } | undefined;
  #timer: Timer | undefined;

  constructor(
    transport: Transport,
    clock: Clock,
    handshakeTimeoutMs: number,
    events: NodeConnectionEvents,
  ) {
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
  handshake(openId: string | undefined): void {
    if (this.#isOver || !(this.isHandshakeDone || this.#isHandshaking)) return;
    if (this.#isHandshaking) this.#askAgain = { openId: this.#askAgain?.openId ?? openId };
    else this.#ask(openId);
  }

  /** Ends the connection; nothing more of it is reported but the end. */
  end(failure: ConnectionFailure): void {
    if (this.#isOver) return;
    this.wire.close();
    this.#over(failure);
  }

  #ask(openId: string | undefined): void {
    if (this.#isOver) return;
    this.#isHandshaking = true;
    this.#armTimer();
    this.wire.handshake(this.#events.request(openId), (reply) => this.#onReply(reply));
  }

  #onReply(reply: HandshakeReply): void {
    if (this.#isOver) return;
    this.#isHandshaking = false;
    this.#timer?.cancel();
    if (reply.kind === "failed") {
      this.end(reply.failure);
      return;
    }
    this.isHandshakeDone = true;
    const again = this.#askAgain;
    this.#askAgain = undefined;
    // An answer that may be older than the question that came after it is not believed.
    if (again === undefined) this.#events.onHandshake(reply);
    else this.#ask(again.openId);
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
