import { keptMs, type KeyLife } from "./lease-times.js";
import { MARKERS } from "./markers.js";

/**
 * The value of a lock key: `10000~`, then 22 random characters, then `.` and the inbox of its process, then `:` and a
 * label.
 *
 * The number in front is how long the name is kept after each renewal, ms: others can tell by their own clocks when a
 * key that is no longer renewed is overdue. Without it only the key's own expiry counts. Where the inbox is, a node tells
 * the process that it has ended the lock.
 */

/** The optional number; 16 random bytes of base64url, the last character with only four bits of them; an inbox; a label. */
const OWNER_ID = /^(?:([1-9]\d{0,15})~)?[\w-]{21}[AQgw](?:\.[\w-]{8})?(?::(.{1,200}))?$/su;

/** How many of the random characters others may see: an ownerId is a secret. */
const SHOWN_CHARACTERS = 6;

/** How long the random part is. */
const ID_CHARACTERS = 22;

/** How long the id of a process is, at which nodes reach it: not a secret, only unlike all others. */
export const INBOX_CHARACTERS = 8;

const inLua = (characters: number): string => "[%w_-]".repeat(characters);

/** The random characters as a Lua pattern for what follows the optional number; it captures those that others may see. */
const ID_IN_LUA = `^(${inLua(SHOWN_CHARACTERS)})${inLua(ID_CHARACTERS - SHOWN_CHARACTERS)}`;

/** The same, up to an inbox or a colon. */
export const OWNER_BEGINNING = `${ID_IN_LUA}[.:]`;

/** The same, and captures the inbox. */
export const OWNER_INBOX = `${ID_IN_LUA}%.(${inLua(INBOX_CHARACTERS)})`;

/** Digits, the mark after them, and {@link SHOWN_CHARACTERS} more, as a Lua pattern. */
export const SHOWN_OWNER = `^[1-9]%d*~${".".repeat(SHOWN_CHARACTERS)}`;

/** @param inbox where nodes reach its process, if they do */
export function leaseOwnerIdOf(
  id: string,
  inbox: { readonly id: string } | undefined,
  settings: KeyLife & { readonly label: string },
): string {
  // Without a margin others must not rely on it.
  const kept = settings.clockStepMs ? `${Math.ceil(keptMs(settings))}~` : "";
  const reached = inbox === undefined ? "" : `.${inbox.id}`;
  const label = settings.label === "" ? "" : `:${settings.label}`;
  return kept + id + reached + label;
}

/** What others see of an ownerId of ours when it refuses them: they tell by it who holds a name. */
export function beginningOf(ownerId: string): string {
  const from = /^\d+~/u.exec(ownerId)?.[0].length ?? 0;
  return ownerId.slice(from, from + SHOWN_CHARACTERS);
}

/**
 * Whether a text can be an ownerId of ours. Markers cannot, whatever follows them: they are public, and an ownerId is
 * a secret.
 */
export function isOwnerId(text: string): boolean {
  return OWNER_ID.test(text) && !Object.values(MARKERS).some((marker) => text.startsWith(marker));
}

/** The label of an ownerId, if it has one. */
export function labelOf(ownerId: string): string | undefined {
  return /^(?:\d+~)?.{22}(?:\.[\w-]{8})?:(.+)$/su.exec(ownerId)?.[1];
}
