import type { Clock, Timer } from "../coordinator/ports.js";
import { setPatientTimer } from "./patient-timer.js";
import type {
  Connection,
  ConnectionFailure,
  HelloReply,
  HelloRequest,
  Transport,
} from "./transport.js";

/** A hello that was answered with who the server is. */
export type Hello = Extract<HelloReply, { kind: "hello" }>;

export interface SessionEvents {
  /** What to ask, when the hello is sent. */
  request(openId: string | undefined): HelloRequest;
  /** Never older than the last {@link Session.greet}. */
  onHello(hello: Hello): void;
  /** The connection is over, by itself or by {@link Session.end}. Once. */
  onEnd(failure: ConnectionFailure): void;
}

/** The life of one connection: it opens, says hello (again when asked), and ends. */
export class Session {
  readonly connection: Connection;
  /** A hello was answered. */
  isGreeted = false;
  /** Operations were let through, so keys may have been stored over this connection. */
  wasAdmitted = false;

  readonly #clock: Clock;
  readonly #helloTimeoutMs: number;
  readonly #events: SessionEvents;
  #isOver = false;
  #isGreeting = false;
  #greetAgain: { openId: string | undefined } | undefined;
  #timer: Timer | undefined;

  constructor(transport: Transport, clock: Clock, helloTimeoutMs: number, events: SessionEvents) {
    this.#clock = clock;
    this.#helloTimeoutMs = helloTimeoutMs;
    this.#events = events;
    this.#armTimer();
    this.connection = transport.connect({
      onOpen: () => this.#hello(undefined),
      onClose: (failure) => this.#over(failure),
    });
  }

  get isGreeting(): boolean {
    return this.#isGreeting;
  }

  /** Says hello again, once the connection is open. */
  greet(openId: string | undefined): void {
    if (this.#isOver || !(this.isGreeted || this.#isGreeting)) return;
    if (this.#isGreeting) this.#greetAgain = { openId: this.#greetAgain?.openId ?? openId };
    else this.#hello(openId);
  }

  /** Ends the connection; nothing more of it is reported but the end. */
  end(failure: ConnectionFailure): void {
    if (this.#isOver) return;
    this.connection.close();
    this.#over(failure);
  }

  #hello(openId: string | undefined): void {
    if (this.#isOver) return;
    this.#isGreeting = true;
    this.#armTimer();
    this.connection.hello(this.#events.request(openId), (reply) => this.#onReply(reply));
  }

  #onReply(reply: HelloReply): void {
    if (this.#isOver) return;
    this.#isGreeting = false;
    this.#timer?.cancel();
    if (reply.kind === "failed") {
      this.end(reply.failure);
      return;
    }
    this.isGreeted = true;
    const again = this.#greetAgain;
    this.#greetAgain = undefined;
    // An answer that may be older than the question that came after it is not believed.
    if (again === undefined) this.#events.onHello(reply);
    else this.#hello(again.openId);
  }

  #armTimer(): void {
    this.#timer?.cancel();
    this.#timer = setPatientTimer(this.#clock, this.#helloTimeoutMs, () => {
      const { stage } = this.connection;
      const waiting = stage === undefined ? "" : `: ${stage}`;
      const message = `no handshake within ${this.#helloTimeoutMs} ms${waiting}`;
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
