import { show, wellFormed } from "../runtime/validate.js";
import keySlot from "cluster-key-slot";
import { keysOf } from "../kinds/exclusive.js";
import { ownedLock } from "../kinds/owned.js";
import { redissonLock } from "../kinds/redisson.js";
import { severalLock } from "../kinds/several.js";
import { sharedLock } from "../kinds/shared.js";
import { timestampLock } from "../kinds/timestamp.js";
import { isOneSlot, RESERVED_PREFIX, type NameKeys } from "../protocol/keys.js";
import type { LockLayout } from "../protocol/lock-layout.js";
import type { LockMode } from "../api/options.js";
import type { LockKind } from "../protocol/lock-kind.js";

const MAX_NAME_BYTES = 1_024;

/**
 * @throws TypeError if it is not a string, RangeError if it is empty or too long.
 */
export function checkName(name: unknown, option = "name"): asserts name is string {
  // Lone surrogates would all be encoded as the same key.
  const text = wellFormed(option, name);
  const bytes = text.length > MAX_NAME_BYTES ? text.length : Buffer.byteLength(text);
  if (bytes === 0 || bytes > MAX_NAME_BYTES) {
    throw new RangeError(`\`${option}\` must have 1 to ${MAX_NAME_BYTES} bytes, got ${bytes}`);
  }
}

/**
 * The keys of a name to be locked.
 *
 * @param option the name of the argument, for errors
 * @throws TypeError if it is no string, RangeError if no lock can have it.
 */
export function checkedKeysOf(
  keyPrefix: string,
  name: unknown,
  hasCluster: boolean,
  option = "name",
): LockKind {
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

/** Maximum number of names in one lock: a step on a node should stay short. */
export const MAX_NAMES = 100;

/**
 * The keys of one name, or of several that are locked together. A name that is given twice counts
 * once, and a list of one name is that name.
 *
 * @throws TypeError and RangeError as {@link checkedKeysOf} does, naming the element; RangeError for
 *   an empty list or too long a one, and for names of different hash slots where a node is a Cluster.
 */
export function checkedKeysOfAll(keyPrefix: string, names: unknown, hasCluster: boolean): LockKind {
  if (!Array.isArray(names)) return checkedKeysOf(keyPrefix, names, hasCluster);
  const given: readonly unknown[] = names;
  // By index, so that a hole is reported as such.
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
  return severalLock(unique);
}

/** Options that determine how a lock is stored on the nodes. */
export interface LayoutChoice {
  readonly layout: LockLayout;
  readonly mode: LockMode;
  readonly owner: string | undefined;
}

/**
 * The keys as a lock with these options uses them.
 *
 * @throws RangeError where options exclude each other.
 */
export function laidOutKeys(keys: LockKind, { layout, mode, owner }: LayoutChoice): LockKind {
  if (layout === "redlock" && mode === "exclusive" && owner === undefined) return keys;
  if (keys.names.length > 1) {
    if (mode === "shared") {
      throw new RangeError(`\`mode\` must be "exclusive" for several names, got "shared"`);
    }
    if (owner !== undefined) throw new RangeError("`owner` cannot be given for several names");
    throw new RangeError(`\`layout\` must be "redlock" for several names, got ${show(layout)}`);
  }
  if (mode === "shared") {
    if (owner !== undefined) throw new RangeError('`mode` must be "exclusive" with an `owner`');
    if (layout === "redlock") return sharedLock(keys);
    throw new RangeError(`\`mode\` must be "exclusive" in the layout ${show(layout)}`);
  }
  if (layout === "redisson") return redissonLock(keys, owner);
  if (layout !== "redlock") {
    if (owner === undefined) return timestampLock(keys, layout);
    throw new RangeError(`\`owner\` cannot be given in the layout ${show(layout)}`);
  }
  return owner === undefined ? keys : ownedLock(keys, owner);
}

/**
 * Other readers, permits or holds of the owner may remain, and waiters for other names of a set: only an exclusive
 * lock of one name can be kept closed after its release.
 *
 * @throws RangeError for other locks with a minimum hold.
 */
export function checkMinHold({ allows, words }: LockKind, minHoldMs = 0): void {
  if (allows.minHold || minHoldMs === 0) return;
  throw new RangeError(`\`minHoldMs\` must be 0 for ${words}, got ${minHoldMs}`);
}

function checkOneSlot([first, ...others]: readonly NameKeys[]): void {
  const stray = others.find(({ lockKey }) => keySlot(lockKey) !== keySlot(first?.lockKey ?? ""));
  if (first === undefined || stray === undefined) return;
  throw new RangeError(
    `\`names\` must share a hash slot for a Cluster, as by a common {tag}: ` +
      `${show(first.name)} and ${show(stray.name)} do not`,
  );
}
