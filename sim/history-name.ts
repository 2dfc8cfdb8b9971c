import type { Lock } from "../src/face/lock.js";
import type { LockKind } from "../src/protocol/lock-kind.js";

/** As what a history knows the lock: a permit has a name of its own, see `oracles/names`. */
export function historyName({ name, slots }: LockKind): string {
  return slots === undefined ? name : `${name}#${slots.slot ?? ""}`;
}

/** The same, one a name of several: a set is held name by name. */
export function historyNames(keys: LockKind): readonly string[] {
  return keys.slots === undefined ? keys.names : [historyName(keys)];
}

/** The same of a lock as its holder sees it. */
export function historyNamesOf({ names, permit }: Lock<boolean>): readonly string[] {
  return permit === undefined ? names : [`${names[0]}#${permit}`];
}
