import { MARKERS } from "./markers.js";

/**
 * What a lock key holds of its holder: `10000~`, then 22 random characters, then `:` and a label.
 *
 * In front stands for how long the name is kept for it after each renewal, ms, so that others can tell by clocks of
 * their own when a key that is not renewed any more is overdue. Without it the key's own expiry is all there is.
 */

/** What stands in front, if anything; 16 random bytes of base64url, the last with four bits of them; a label. */
const OWNER_ID = /^(?:([1-9]\d{0,8})~)?[\w-]{21}[AQgw](?::(.{1,200}))?$/su;

/** How many of the random characters are told to others: an ownerId is a secret. */
const SHOWN_CHARACTERS = 6;

/** Digits, the mark behind them, and {@link SHOWN_CHARACTERS} more, as a pattern of Lua. */
export const SHOWN_OWNER = `^[1-9]%d*~${".".repeat(SHOWN_CHARACTERS)}`;

/** @param keptMs undefined if others must not go by it */
export function ownerIdOf(id: string, label: string, keptMs?: number): string {
  const owner = keptMs === undefined ? id : `${Math.ceil(keptMs)}~${id}`;
  return label === "" ? owner : `${owner}:${label}`;
}

/**
 * Whether a text can be an ownerId of ours. Markers cannot, whatever follows them: they are known to
 * everybody, and an ownerId is a secret.
 */
export function isOwnerId(text: string): boolean {
  return OWNER_ID.test(text) && !Object.values(MARKERS).some((marker) => text.startsWith(marker));
}

/** The label behind an ownerId, if it has one. */
export function labelOf(ownerId: string): string | undefined {
  return /^(?:\d+~)?.{22}:(.+)$/su.exec(ownerId)?.[1];
}
