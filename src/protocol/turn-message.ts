import { MAX_TURN_MS, MIN_TURN_MS } from "./backoff.js";
import { MAX_PERMITS } from "./slots.js";

/** What a node says on the channel of a process: it keeps a name, or a permit, for that process. */
export interface TurnMessage {
  readonly lockKey: string;
  /** For how long the node keeps it, ms. */
  readonly turnMs: number;
  /** Of a semaphore: which permit. */
  readonly slot?: number | undefined;
}

/** Longer messages are dropped unread, whatever they say; a waiter with such a name polls. */
const MAX_LENGTH = 16_384;

/** `20:lock:invoice`, or `20/3:lock:pool` for permit 3. */
const FORMAT = /^(\d{1,3})(?:\/(0|[1-9]\d{0,2}))?:(.+)$/su;

/**
 * Reads what came in on the channel. Whoever may publish can write there, so everything that a node
 * would not say is nothing: undefined. A node also sends empty messages, to see whether anybody listens.
 */
export function parseTurnMessage(message: string): TurnMessage | undefined {
  if (message.length > MAX_LENGTH) return undefined;
  const [, turn, slotText, lockKey] = FORMAT.exec(message) ?? [];
  const turnMs = Number(turn);
  if (lockKey === undefined || !(turnMs >= MIN_TURN_MS && turnMs <= MAX_TURN_MS)) return undefined;
  const slot = slotText === undefined ? undefined : Number(slotText);
  return slot !== undefined && slot >= MAX_PERMITS ? undefined : { lockKey, turnMs, slot };
}
