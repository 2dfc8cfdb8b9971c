import type { Entropy } from "../coordinator/ports.js";
import type { BatchReply, ConnectionFailure, HandshakeReply } from "./transport.js";

/**
 * A reply of the Redis protocol does not say which request it answers: that is only a matter of order. Where a
 * connection's replies are shifted, swapped or those of another client (a broken pooling proxy, a bug in a client), a
 * refusal would be read as a grant. So each request has a number that its reply repeats.
 */

/** A request, as far as its reply shows whether it is its own. */
export interface NumberedRequest {
  readonly number: number;
  /** It carried the script, so the server cannot miss it. */
  readonly withScript?: boolean;
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
 */
export function outOfStep(
  { number, withScript = true }: NumberedRequest,
  reply: BatchReply | HandshakeReply,
): ConnectionFailure | undefined {
  switch (reply.kind) {
    case "votes":
    case "handshake":
      return reply.number === number ? undefined : outOfStepFailure(number, reply.number);
    case "noScript":
      return withScript ? outOfStepFailure(number, "that of a call without the script") : undefined;
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
