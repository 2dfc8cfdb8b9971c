import type { Lock } from "../src/face/lock.js";
import type { LockKind } from "../src/protocol/lock-kind.js";
import { KEY_PREFIX } from "./watched-keys.js";

/**
 * As what a history knows the lock: a permit has a name of its own, see `oracles/names`. To redlock's interface
 * the whole key is the name.
 */
export function historyName({ name, slots }: LockKind): string {
  const bare = name.replaceAll(KEY_PREFIX, "");
  return slots === undefined ? bare : `${bare}#${slots.slot ?? ""}`;
}

/** The same, one a name of several: a set is held name by name. */
export function historyNames(keys: LockKind): readonly string[] {
  return historyName(keys).split(", ");
}

/** The same of a lock as its holder sees it. */
export function historyNamesOf({ names, permit }: Lock<boolean>): readonly string[] {
  return permit === undefined ? names : [`${names[0]}#${permit}`];
}
