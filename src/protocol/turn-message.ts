import { MAX_TURN_MS, MIN_TURN_MS } from "./node-queue.js";
import type { PlacePrefix } from "./lock-kind.js";
import { numbersIn } from "./permits.js";

/** A node's message on the channel of a process: it reserves a name, or a permit, for that process. */
export interface TurnMessage {
  readonly lockKey: string;
  /** For which of its places. */
  readonly placePrefix: PlacePrefix;
  /** How long the node reserves it, ms. */
  readonly turnMs: number;
  /** For a semaphore: which permits, ascending. */
  readonly permits?: readonly number[] | undefined;
}

/**
 * Longer messages are dropped unread, whatever they say; a waiter with such a name polls. The numbers of permits that are
 * no neighbours take up to 33,330 characters.
 */
const MAX_LENGTH = 50_000;

/**
 * `20:lock:invoice`, `r20:...` to a reader, `s20:...` to one that waits for any permit, `s3,20:...` for any three;
 * `20/3:lock:pool` for permit 3, `20/0-1,5:...` for three of them.
 */
const FORMAT = /^(?:([rs]?|s[1-9]\d{0,4},)(\d{1,3})|(\d{1,3})\/([\d,-]+)):(.+)$/su;

/**
 * Parses a message from the channel. Anybody who may publish can write there, so anything that a node would not send
 * yields undefined. A node also sends empty messages, to see whether anybody listens.
 */
export function parseTurnMessage(message: string): TurnMessage | undefined {
  if (message.length > MAX_LENGTH) return undefined;
  const [, wants = "s", ofName, ofPermits, numbers, lockKey] = FORMAT.exec(message) ?? [];
  const turnMs = Number(ofName ?? ofPermits);
  if (lockKey === undefined || !(turnMs >= MIN_TURN_MS && turnMs <= MAX_TURN_MS)) return undefined;
  const placePrefix = wants as PlacePrefix;
  if (numbers === undefined) return { lockKey, placePrefix, turnMs, permits: undefined };
  const permits = numbersIn(numbers);
  return permits && { lockKey, placePrefix, turnMs, permits };
}
