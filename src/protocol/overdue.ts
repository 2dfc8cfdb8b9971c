import { outwaitMs } from "./lease-times.js";

/**
 * When a lock that is no longer renewed may be taken, by the clock of the client that wants it.
 *
 * A node's wall clock decides when its keys expire, and it may be stepped; so keys outlive their locks by a margin.
 * After a crash of the holder nobody should have to wait for that margin. So each refusal carries a *sign* of every
 * holder, which changes with each renewal. While a sign stays the same, no renewal was executed. Once it has been the
 * same for longer than a holder may act on its lock after a renewal, counted from when the sign was received, the
 * lock has ended. No wall clock is involved, not even the node's. See docs/internals/protocol.md.
 */

/** Maximum number of signs in one refusal. Where more clients hold a name, the others are waited for by expiry. */
export const MAX_SIGNS = 8;

/** Error of the end in a sign, ms, where the server does not report it exactly. */
export const SIGN_INEXACT_MS = 5;

/** Minimum by which a renewal moves the end of a key, ms: more than the error of a sign in both directions. */
export const RENEWED_BY_MS = 2 * SIGN_INEXACT_MS + 5;

/** One holder, as a node reports it. */
export interface Sign {
  readonly text: string;
  /** How long its name is kept for it after a renewal, ms. */
  readonly keptMs: number;
}

/** `9000~x9_Kq2@1700000001950`, or with `@~` where the end is not exact. */
const SIGN = /^([1-9]\d{0,15})~.{6}@~?\d{1,16}$/su;

/** Incoming text is not trusted: undefined if it is not a sign. */
export function parseSign(text: string): Sign | undefined {
  const kept = SIGN.exec(text)?.[1];
  return kept === undefined ? undefined : { text, keptMs: Number(kept) };
}

const AT = 64;

/** Whether the sign that ends there in the text is open: its answer says beside it when the holder's key ends. */
export function isOpenSign(text: string, end = text.length): boolean {
  return text.charCodeAt(end - 1) === AT;
}

/** @param endMs of the holder's key, node's clock, ms */
export function closedSign(text: string, endMs: number): string {
  return isOpenSign(text) ? `${text}${endMs}` : text;
}

/** Whether two signs are of one holder that was not renewed in between. */
export function isSameSign(one: string, other: string): boolean {
  if (one === other) return true;
  const [at, atOther] = [one.indexOf("@~"), other.indexOf("@~")];
  if (at === -1 || at !== atOther || one.slice(0, at) !== other.slice(0, at)) return false;
  return Math.abs(Number(one.slice(at + 2)) - Number(other.slice(at + 2))) <= SIGN_INEXACT_MS;
}

/**
 * When a holder is overdue.
 *
 * @param seenMs when its sign was first received; like the result on a clock that is never ahead of real time
 */
export function overdueMs({ keptMs }: Sign, seenMs: number, driftFactor: number): number {
  return seenMs + outwaitMs(keptMs, driftFactor);
}
