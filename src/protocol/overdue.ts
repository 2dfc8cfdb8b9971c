import { outwaitMs } from "./validity.js";

/**
 * When a lock that is not renewed any more may be taken, by the clock of whoever wants it.
 *
 * A node's wall clock decides when its keys expire, and it may be stepped; so keys outlive their locks by a margin. Not
 * to wait for the margin behind a holder that crashed, a client watches: whoever is refused is told a *sign* of each
 * holder, which changes with each renewal. While it stays the same no renewal was executed, so once it has been the same
 * for longer than the holder may believe after a renewal, counted from when it was received, belief is over. No wall clock is in
 * that, and neither is the node's. See docs/protocol.md.
 */

/** Signs that one refusal brings at most. Where more hold a name, the others are waited for by their expiry. */
export const MAX_SIGNS = 8;

/** What the end in a sign may be wrong by, ms, where the server does not tell it exactly. */
export const SIGN_INEXACT_MS = 5;

/** By how much a renewal moves the end of a key at least, ms: more than a sign may be wrong by, both ways. */
export const RENEWED_BY_MS = 2 * SIGN_INEXACT_MS + 5;

/** Of one holder, as a node tells it. */
export interface Sign {
  readonly text: string;
  /** For how long its name is kept for it after a renewal, ms. */
  readonly keptMs: number;
}

/** `9000~x9_Kq2@1700000001950`, or with `@~` where the end is not exact. */
const SIGN = /^([1-9]\d{0,8})~.{6}@~?\d{1,16}$/su;

/** What arrives is not trusted: undefined if it is no sign. */
export function parseSign(text: string): Sign | undefined {
  const kept = SIGN.exec(text)?.[1];
  return kept === undefined ? undefined : { text, keptMs: Number(kept) };
}

/** Whether two signs are of one holder that was not renewed in between. */
export function isSameSign(one: string, other: string): boolean {
  if (one === other) return true;
  const [at, atOther] = [one.indexOf("@~"), other.indexOf("@~")];
  if (at === -1 || at !== atOther || one.slice(0, at) !== other.slice(0, at)) return false;
  return Math.abs(Number(one.slice(at + 2)) - Number(other.slice(at + 2))) <= SIGN_INEXACT_MS;
}

/**
 * In how many ms one is overdue; 0 or less if it is.
 *
 * @param seenMs when its sign was received first; like `nowMs` of a clock that is never ahead of real time
 */
export function overdueInMs(
  { keptMs }: Sign,
  seenMs: number,
  nowMs: number,
  driftFactor: number,
): number {
  return seenMs + outwaitMs(keptMs, driftFactor) - nowMs;
}
