import { show, wellFormed } from "../runtime/validate.js";
import keySlot from "cluster-key-slot";
import { exclusiveLock } from "../kinds/exclusive.js";
import { ownedLock } from "../kinds/owned.js";
import { redissonLock } from "../kinds/redisson.js";
import { severalLock } from "../kinds/several.js";
import { sharedLock } from "../kinds/shared.js";
import { timestampLock } from "../kinds/timestamp.js";
import { isOneSlot, nameKeys, RESERVED_PREFIX, type NameKeys } from "../protocol/keys.js";
import type { LockLayout } from "../protocol/lock-layout.js";
import type { LockMode } from "../api/options.js";
import type { LeaseSettings } from "../coordinator/lease-settings.js";
import type { LockKind } from "../protocol/lock-kind.js";

const MAX_NAME_BYTES = 1_024;

/** @throws TypeError if it is not a string, RangeError if it is empty or too long. */
export function checkName(name: unknown, option = "name"): asserts name is string {
  // Lone surrogates would all be encoded as the same key.
  const text = wellFormed(option, name);
  const bytes = text.length > MAX_NAME_BYTES ? text.length : Buffer.byteLength(text);
  if (bytes > 0 && bytes <= MAX_NAME_BYTES) return;
  throw new RangeError(`\`${option}\` must have 1 to ${MAX_NAME_BYTES} bytes, got ${bytes}`);
}

/**
 * The keys of a name to be locked.
 *
 * @param option the name of the argument, for errors
 * @throws TypeError and RangeError as {@link checkName} does, RangeError also if no lock can have it.
 */
export function checkedKeysOf(
  keyPrefix: string,
  name: unknown,
  hasCluster: boolean,
  option = "name",
): NameKeys {
  checkName(name, option);
  const keys = nameKeys(keyPrefix, name);
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

/** Maximum number of names in one lock: a step on a node should stay short. */
export const MAX_NAMES = 100;

/**
 * The lock of several names that are taken together. A name that is given twice counts once, and a list of one name is
 * that name.
 *
 * @param kindOf of one name; several can only be plain exclusive locks
 * @throws TypeError and RangeError as {@link checkedKeysOf} does, naming the element; RangeError for
 *   an empty list or too long a one, for another kind of lock, and for names of different hash slots where a node is a
 *   Cluster.
 */
export function checkedLockOfAll(
  keyPrefix: string,
  names: readonly unknown[],
  hasCluster: boolean,
  kindOf: KindOf,
): LockKind {
  // By index, so that a hole is reported as such.
  const all = Array.from(names, (name, at) => {
    return checkedKeysOf(keyPrefix, name, hasCluster, `names[${at}]`);
  });
  const unique = [...new Map(all.map((keys) => [keys.name, keys])).values()];
  const [first] = unique;
  if (first === undefined || unique.length > MAX_NAMES) {
    throw new RangeError(
      `\`names\` must be 1 to ${MAX_NAMES} different names, got ${unique.length}`,
    );
  }
  if (hasCluster) checkOneSlot(unique);
  if (unique.length === 1) return kindOf(first);
  const { mode, owner, layout } = kindOf(first);
  if (mode === "shared") {
    throw new RangeError(`\`mode\` must be "exclusive" for several names, got "shared"`);
  }
  if (owner !== undefined) throw new RangeError("`owner` cannot be given for several names");
  if (layout === "redlock") return severalLock(unique);
  throw new RangeError(`\`layout\` must be "redlock" for several names, got ${show(layout)}`);
}

/** The lock of one kind on a name. */
export type KindOf = (keys: NameKeys) => LockKind;

/** Options that determine how a lock is stored on the nodes. */
export interface LayoutChoice {
  readonly layout: LockLayout;
  readonly mode: LockMode;
  readonly owner: string | undefined;
}

/**
 * The kind of lock that these options mean.
 *
 * @throws RangeError where they exclude each other.
 */
export function kindFor({ layout, mode, owner }: LayoutChoice): KindOf {
  if (mode === "shared") {
    if (owner !== undefined) throw new RangeError('`mode` must be "exclusive" with an `owner`');
    if (layout === "redlock") return sharedLock;
    throw new RangeError(`\`mode\` must be "exclusive" in the layout ${show(layout)}`);
  }
  if (layout === "redisson") return (keys) => redissonLock(keys, owner);
  if (layout === "redlock") {
    return owner === undefined ? exclusiveLock : (keys) => ownedLock(keys, owner);
  }
  if (owner === undefined) return (keys) => timestampLock(keys, layout);
  throw new RangeError(`\`owner\` cannot be given in the layout ${show(layout)}`);
}

/**
 * What only an exclusive lock of one name can have. Of others, readers, permits or holds of the owner may remain, and
 * waiters for other names of a set, so they cannot be kept closed after their release; and a value is kept beside the
 * ownerId in the lock key.
 *
 * @throws RangeError for another lock with a minimum hold or a value.
 */
export function checkForKind(
  { id, allows, words }: LockKind,
  { minHoldMs = 0, value }: Pick<LeaseSettings, "minHoldMs" | "value">,
): void {
  if (!allows.minHold && minHoldMs !== 0) {
    throw new RangeError(`\`minHoldMs\` must be 0 for ${words}, got ${minHoldMs}`);
  }
  if (id !== "exclusive" && value !== undefined) {
    throw new RangeError(`\`value\` must be left out for ${words}`);
  }
}

function checkOneSlot([first, ...others]: readonly NameKeys[]): void {
  const stray = others.find(({ lockKey }) => keySlot(lockKey) !== keySlot(first?.lockKey ?? ""));
  if (first === undefined || stray === undefined) return;
  throw new RangeError(
    `\`names\` must share a hash slot for a Cluster, as by a common {tag}: ` +
      `${show(first.name)} and ${show(stray.name)} do not`,
  );
}
