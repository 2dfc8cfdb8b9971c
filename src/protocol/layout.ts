import { companionKey, type NameKeys } from "./keys.js";

/**
 * How a lock lies in the keys of a node, where it is not the plain mutex: a string key that holds
 * the ownerId.
 *
 * - `shared`: many readers, each with an expiry of its own
 * - `several`: plain mutexes of several names that are taken, re-timed and let go of together
 * - `owned`: holds of one owner, each with an expiry of its own; also as Redisson keeps them
 * - `timestamp`: a string key that says when the lock ends, as hand-written code has it
 * - `slot`: one of the permits of a semaphore, each a mutex with an expiry of its own
 * - `stolen`: a plain mutex that is taken whoever holds it; of acquires only, behind them it is plain
 */
export const LAYOUT_KINDS = ["shared", "several", "owned", "timestamp", "slot", "stolen"] as const;

export type LayoutKind = (typeof LAYOUT_KINDS)[number];

/** A layout with what its steps on a node need beside lock key, fence key and queue key. */
export interface Layout {
  readonly kind: LayoutKind;
  /** More keys, all in the hash slot of the name. */
  readonly keys: readonly string[];
  /** More arguments, the same for every operation on the name. */
  readonly args: readonly string[];
}

/** Whether a lock on these keys stands beside others of its kind. */
export function isShared({ layout }: NameKeys): boolean {
  return layout?.kind === "shared";
}

/** The keys of a name for its readers. */
export function sharedKeys(keys: NameKeys): NameKeys {
  const readersKey = companionKey("readers", keys.lockKey);
  return { ...keys, layout: { kind: "shared", keys: [readersKey], args: [] } };
}

/** The keys of a name for an acquire that takes it from whoever holds it. */
export function stolenKeys(keys: NameKeys): NameKeys {
  return { ...keys, layout: { kind: "stolen", keys: [], args: [] } };
}

/** Keys of each further name of a set, in this order. */
const KEYS_A_NAME = 3;

/**
 * The keys of several names that are locked together, whatever their order. Each keeps the keys that
 * it has as a plain mutex. The set waits in the queue of its first name.
 *
 * @param all one or more, of different names
 */
export function severalKeys(all: readonly NameKeys[]): NameKeys {
  const [first, ...others] = all.toSorted((a, b) => (a.lockKey < b.lockKey ? -1 : 1));
  if (first === undefined) throw new RangeError("a set of no names");
  if (others.length === 0) return first;
  const names = [first, ...others].map(({ name }) => name);
  const keys = others.flatMap(({ lockKey, fenceKey, queueKey }) => [lockKey, fenceKey, queueKey]);
  return { ...first, name: names.join(", "), names, layout: { kind: "several", keys, args: [] } };
}

/** The keys of each name that an operation is about: one, or those of a set. */
export function membersOfSet(
  keys: NameKeys,
): readonly Pick<NameKeys, "lockKey" | "fenceKey" | "queueKey">[] {
  if (keys.layout?.kind !== "several") return [keys];
  const members: Pick<NameKeys, "lockKey" | "fenceKey" | "queueKey">[] = [keys];
  const rest = keys.layout.keys;
  for (let at = 0; at < rest.length; at += KEYS_A_NAME) {
    const [lockKey = "", fenceKey = "", queueKey = ""] = rest.slice(at, at + KEYS_A_NAME);
    members.push({ lockKey, fenceKey, queueKey });
  }
  return members;
}

/** Whether who locks these keys locks the name of that lock key, too. */
export function includesName(keys: NameKeys, lockKey: string): boolean {
  return (
    keys.lockKey === lockKey || membersOfSet(keys).some((member) => member.lockKey === lockKey)
  );
}
