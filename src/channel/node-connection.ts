import type { Clock, Entropy, Timer } from "../coordinator/ports.js";
import { setPatientTimer } from "./patient-timer.js";
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

/** One script call, as long as it has no number. */
export interface Call extends Omit<Batch, "number"> {
  /** How many numbers its operations have. See `protocol/operation`. */
  readonly size: number;
}

/**
 * The life of one connection: it opens, shakes hands (again on request), and ends, at the latest with a reply that is
 * not that of its request.
 *
 * A reply of the Redis protocol does not say which request it answers: that is only a matter of order. Where a
 * connection's replies are shifted, swapped or those of another client (a broken pooling proxy, a bug in a client), a
 * refusal would be read as a grant. So each request has a number that its reply repeats.
 */
export class NodeConnection {
  /** On the server; random, as its first number is. */
  readonly name: string;
  /** A handshake is on its way. */
  isHandshaking = false;
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
    this.#wire = transport.connect({
      onOpen: () => this.#ask(undefined),
      onClose: (failure) => this.#over(failure),
    });
    // Not before: where that throws, nothing is left that could end.
    this.#armTimer();
  }

  /** Asks again who the server is, once the connection is open. */
  handshake(order: RecordOrder | undefined): void {
    if (this.#isOver || !(this.isHandshakeDone || this.isHandshaking)) return;
    if (this.isHandshaking) this.#askAgain = { order: this.#askAgain?.order ?? order };
    else this.#ask(order);
  }

  /** One script call. Where the connection ends first, it is not answered. @returns its number */
  send<One extends Call>(call: One, onReply: (call: One, reply: BatchReply) => void): number {
    const { operations, recordId, withScript } = call;
    const batch = { operations, recordId, withScript, number: this.#number };
    this.#number += call.size;
    this.#wire.send(batch, (reply) => {
      if (this.#isOver) return;
      const failure = outOfStep(batch, reply);
      if (failure === undefined) onReply(call, reply);
      else this.end(failure);
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
    this.isHandshaking = true;
    this.#armTimer();
    const sentSteadyMs = this.#clock.steady();
    const [number, connectionName] = [this.#number++, this.name];
    const request = { ...this.#events.request(order), number, connectionName };
    this.#wire.handshake(request, (reply) => this.#onReply(request, reply, sentSteadyMs));
  }

  #onReply(request: HandshakeRequest, reply: HandshakeReply, sentSteadyMs: number): void {
    if (this.#isOver) return;
    this.isHandshaking = false;
    this.#timer?.cancel();
    if (reply.kind === "failed") {
      this.end({ ...reply.failure, isOfHandshake: true });
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

/** Half of the bits of a number: some sources of randomness have no more than 32 in one piece. */
const HALF = 2 ** 24;

/**
 * The first number of a connection, from which on it counts its requests: a random 48 bits, so that another client's
 * replies, or those of an earlier connection, do not match either. Never 0, and so small that counting on stays exact.
 */
export function firstNumber(entropy: Entropy): number {
  const half = (): number => Math.floor(entropy.unit() * HALF);
  return 1 + half() * HALF + half();
}

/**
 * Why the connection cannot be used any more: the reply is not that of the request. Undefined if it may be. An error
 * names no request; it is a fault of the node in any case, and never a vote.
 *
 * @param request `withScript`: it carried the script, so the server cannot miss it
 */
export function outOfStep(
  { number, withScript = true }: { readonly number: number; readonly withScript?: boolean },
  reply: BatchReply | HandshakeReply,
): ConnectionFailure | undefined {
  switch (reply.kind) {
    case "votes":
    case "handshake":
      return reply.number === number ? undefined : outOfStepFailure(number, reply.number);
    case "noScript":
      return withScript ? outOfStepFailure(number, "that of a call without the script") : undefined;
    case "forbidden":
    case "error":
    case "failed":
      return undefined;
  }
}

function outOfStepFailure(
  sent: number,
  answered: number | string = "something without a number",
): ConnectionFailure {
  const message = `replies out of step: the reply to request ${sent} is ${answered}`;
  return { message, isMisconfigured: false, isOutOfStep: true };
}

/** For people. */
export const OUT_OF_STEP_REMEDY =
  "something between this process and the server mixes up replies, such as a proxy that shares connections among clients: connect to the server directly";
