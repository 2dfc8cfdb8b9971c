import type { LockKind } from "../src/protocol/lock-kind.js";

/** As what a history knows the lock: a permit has a name of its own, see `check/names`. */
export function historyName({ name, slots }: LockKind): string {
  return slots === undefined ? name : `${name}#${slots.slot ?? ""}`;
}

/** The same, one a name of several: a set is held name by name. */
export function historyNames(keys: LockKind): readonly string[] {
  return keys.slots === undefined ? keys.names : [historyName(keys)];
}
