import { companionKey, type NameKeys } from "./keys.js";
import { MARKERS } from "./markers.js";

/** What the lock key holds while a named owner has the name, before the owner. */
export const OWNER_PREFIX = MARKERS.owned;

/** Fields of ours in the hash of an owner's holds begin with it; no owner does. */
export const OWN_FIELDS = "quorate:";

/** In front of what we count in a hash in Redisson's layout, so that it is no number there. */
export const NO_NUMBER = "@";

/** What a node is asked by an acquire that may only enter where its owner is in already. */
const AGAIN = "again";

/**
 * The keys of a name for a named owner, who may hold it many times at once: the lock key says who
 * it is, and a hash beside it has its holds.
 */
export function ownedKeys(keys: NameKeys, owner: string): NameKeys {
  const holdsKey = companionKey("holds", keys.lockKey);
  return { ...keys, layout: { kind: "owned", keys: [holdsKey], args: [owner, "", ""] } };
}

/**
 * The keys of a name as Redisson lays a lock out: the lock key is the hash, with the owner as its field.
 *
 * @param owner "" for none: then every hold is an owner of its own
 */
export function redissonKeys(keys: NameKeys, owner = ""): NameKeys {
  const channel = redissonChannel(keys.lockKey);
  return { ...keys, layout: { kind: "owned", keys: [], args: [owner, channel, ""] } };
}

/** Who holds it, of keys for a named owner. */
export function ownerOf({ layout }: NameKeys): string | undefined {
  const owner = layout?.kind === "owned" ? layout.args[0] : undefined;
  return owner === "" ? undefined : owner;
}

/** Whether the lock key is the hash of a lock of Redisson. */
export function isRedisson({ layout }: NameKeys): boolean {
  return layout?.kind === "owned" && layout.keys.length === 0;
}

/** For an acquire that gets a name only where its owner has it, and leaves it alone where it is free. */
export function againKeys(keys: NameKeys): NameKeys {
  const { layout } = keys;
  if (layout?.kind !== "owned") return keys;
  const [owner = "", channel = ""] = layout.args;
  return { ...keys, layout: { ...layout, args: [owner, channel, AGAIN] } };
}

/** The keys of a lock that was had by {@link againKeys}, as of any other. */
export function enteredKeys(keys: NameKeys): NameKeys {
  if (!isAgain(keys) || keys.layout === undefined) return keys;
  const [owner = "", channel = ""] = keys.layout.args;
  return { ...keys, layout: { ...keys.layout, args: [owner, channel, ""] } };
}

/** Whether an acquire may only enter again. */
export function isAgain({ layout }: NameKeys): boolean {
  return layout?.kind === "owned" && layout.args[2] === AGAIN;
}

/** Where Redisson tells those of its clients that wait for a lock that it is free. */
export function redissonChannel(lockKey: string): string {
  return `redisson_lock__channel:${lockKey.includes("{") ? lockKey : `{${lockKey}}`}`;
}

/** The number in a field of ours, in either layout. */
export function numberIn(field: string): number {
  return Number(field.startsWith(NO_NUMBER) ? field.slice(NO_NUMBER.length) : field);
}
