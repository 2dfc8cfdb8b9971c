import { MAX_TURN_MS, MIN_TURN_MS } from "./backoff.js";
import type { PlacePrefix } from "./lock-kind.js";
import { MAX_PERMITS } from "./permits.js";

/** A node's message on the channel of a process: it reserves a name, or a permit, for that process. */
export interface TurnMessage {
  readonly lockKey: string;
  /** For which of its places. */
  readonly placePrefix: PlacePrefix;
  /** How long the node reserves it, ms. */
  readonly turnMs: number;
  /** For a semaphore: which permit. */
  readonly permit?: number | undefined;
}

/** Longer messages are dropped unread, whatever they say; a waiter with such a name polls. */
const MAX_LENGTH = 16_384;

/** `20:lock:invoice`, `r20:...` to a reader, `s20:...` to one that waits for any permit; `20/3:lock:pool` for permit 3. */
const FORMAT = /^(?:([rs]?)(\d{1,3})|(\d{1,3})\/(0|[1-9]\d{0,2})):(.+)$/su;

/**
 * Parses a message from the channel. Anybody who may publish can write there, so anything that a node would not send
 * yields undefined. A node also sends empty messages, to see whether anybody listens.
 */
export function parseTurnMessage(message: string): TurnMessage | undefined {
  if (message.length > MAX_LENGTH) return undefined;
  const [, wants = "s", ofName, ofPermit, permitText, lockKey] = FORMAT.exec(message) ?? [];
  const turnMs = Number(ofName ?? ofPermit);
  if (lockKey === undefined || !(turnMs >= MIN_TURN_MS && turnMs <= MAX_TURN_MS)) return undefined;
  const placePrefix = wants as PlacePrefix;
  const permit = permitText === undefined ? undefined : Number(permitText);
  return permit !== undefined && permit >= MAX_PERMITS
    ? undefined
    : { lockKey, placePrefix, turnMs, permit };
}
