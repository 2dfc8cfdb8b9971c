import type { Lock } from "../src/api/lock.js";
import type { LockKind } from "../src/protocol/lock-kind.js";
import { KEY_PREFIX } from "./watched-keys.js";

/**
 * The name of a lock in a history. A permit has a name of its own, see `oracles/names`; several are a set of names. For
 * redlock's interface, the name is the whole key.
 */
export function historyName({ name, permits }: LockKind): string {
  const bare = name.replaceAll(KEY_PREFIX, "");
  if (permits === undefined) return bare;
  return permits.numbers?.map((number) => `${bare}#${number}`).join(", ") ?? `${bare}#`;
}

/** The same, one per name of a set: a set is held name by name. */
export function historyNames(keys: LockKind): readonly string[] {
  return historyName(keys).split(", ");
}

/** The same for a lock as its holder sees it. */
export function historyNamesOf({ names, permits }: Lock): readonly string[] {
  return permits?.map((permit) => `${names[0]}#${permit}`) ?? names;
}
