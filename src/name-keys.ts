import { show } from "./checks.js";
import keySlot from "cluster-key-slot";
import { isOneSlot, keysOf, RESERVED_PREFIX, type NameKeys } from "./protocol/keys.js";
import type { LockLayout } from "./lock-layout.js";
import type { LockMode } from "./options.js";
import { severalKeys, sharedKeys, type LayoutKind } from "./protocol/layout.js";
import { isRedisson, ownedKeys, redissonKeys } from "./protocol/owned.js";
import { timestampKeys, type TimestampLayout } from "./protocol/timestamps.js";
import { checkName } from "./resolve-options.js";

/**
 * The keys of a name that somebody wants to lock.
 *
 * @param option as which the name was given, for errors
 * @throws TypeError if it is no string, RangeError if no lock can have it.
 */
export function checkedKeysOf(
  keyPrefix: string,
  name: unknown,
  hasCluster: boolean,
  option = "name",
): NameKeys {
  checkName(name, option);
  const keys = keysOf(keyPrefix, name);
  if (keys.lockKey.startsWith(RESERVED_PREFIX)) {
    throw new RangeError(
      `\`${option}\` makes a key in the reserved "${RESERVED_PREFIX}": ${show(name)}`,
    );
  }
  if (hasCluster && !isOneSlot(keys)) {
    throw new RangeError(
      `\`${option}\` has braces that form no hash tag, for a Cluster: ${show(name)}`,
    );
  }
  return keys;
}

/** Most names in one lock: a step on a node should stay short. */
export const MAX_NAMES = 100;

/**
 * The keys of one name, or of several that are locked together. A name that is given twice counts
 * once, and a list of one name is that name.
 *
 * @throws TypeError and RangeError as {@link checkedKeysOf} does, naming the element; RangeError for
 *   an empty list or too long a one, and for names of different hash slots where a node is a Cluster.
 */
export function checkedKeysOfAll(keyPrefix: string, names: unknown, hasCluster: boolean): NameKeys {
  if (!Array.isArray(names)) return checkedKeysOf(keyPrefix, names, hasCluster);
  const given: readonly unknown[] = names;
  // By index, so that a hole is seen as what it is.
  const all = Array.from(given, (name, at) => {
    return checkedKeysOf(keyPrefix, name, hasCluster, `names[${at}]`);
  });
  const unique = [...new Map(all.map((keys) => [keys.name, keys])).values()];
  if (unique.length < 1 || unique.length > MAX_NAMES) {
    throw new RangeError(
      `\`names\` must be 1 to ${MAX_NAMES} different names, got ${unique.length}`,
    );
  }
  if (hasCluster) checkOneSlot(unique);
  return severalKeys(unique);
}

/** What decides how a lock lies on the nodes. */
export interface LayoutChoice {
  readonly layout: LockLayout;
  readonly mode: LockMode;
  readonly owner: string | undefined;
}

/**
 * The keys as a lock with these options uses them.
 *
 * @throws RangeError where one option cannot be had with another.
 */
export function laidOutKeys(keys: NameKeys, { layout, mode, owner }: LayoutChoice): NameKeys {
  if (layout === "redlock" && mode === "exclusive" && owner === undefined) return keys;
  if (keys.layout !== undefined) {
    if (mode === "shared") {
      throw new RangeError(`\`mode\` must be "exclusive" for several names, got "shared"`);
    }
    if (owner !== undefined) throw new RangeError("`owner` cannot be given for several names");
    throw new RangeError(`\`layout\` must be "redlock" for several names, got ${show(layout)}`);
  }
  if (mode === "shared") {
    if (owner !== undefined) throw new RangeError('`mode` must be "exclusive" with an `owner`');
    if (layout === "redlock") return sharedKeys(keys);
    throw new RangeError(`\`mode\` must be "exclusive" in the layout ${show(layout)}`);
  }
  if (layout === "redisson") return redissonKeys(keys, owner);
  if (layout !== "redlock") {
    if (owner === undefined) return timestampKeys(keys, layout);
    throw new RangeError(`\`owner\` cannot be given in the layout ${show(layout)}`);
  }
  return owner === undefined ? keys : ownedKeys(keys, owner);
}

/** The layout that was chosen for these keys. */
export function lockLayoutOf(keys: NameKeys): LockLayout {
  if (isRedisson(keys)) return "redisson";
  const { layout } = keys;
  return layout?.kind === "timestamp" ? (layout.args[0] as TimestampLayout) : "redlock";
}

const IN_WORDS: Readonly<Record<LayoutKind, string>> = {
  shared: "a shared lock",
  several: "several names",
  owned: "a lock of an owner, or in the layout of Redisson",
  timestamp: "a lock in the layout of a timestamp",
  slot: "a permit",
  stolen: "a theft",
};

/**
 * Readers and permits go one by one, an owner may come again, and of the names of a set others may be
 * waited for: only a plain lock is kept closed behind its release.
 *
 * @throws RangeError for others with a minimum hold.
 */
export function checkMinHold({ layout }: NameKeys, minHoldMs = 0): void {
  if (layout === undefined || minHoldMs === 0) return;
  throw new RangeError(`\`minHoldMs\` must be 0 for ${IN_WORDS[layout.kind]}, got ${minHoldMs}`);
}

function checkOneSlot([first, ...others]: readonly NameKeys[]): void {
  const stray = others.find(({ lockKey }) => keySlot(lockKey) !== keySlot(first?.lockKey ?? ""));
  if (first === undefined || stray === undefined) return;
  throw new RangeError(
    `\`names\` must share a hash slot for a Cluster, as by a common {tag}: ` +
      `${show(first.name)} and ${show(stray.name)} do not`,
  );
}
