import { show } from "./checks.js";
import { isOneSlot, keysOf, RESERVED_PREFIX, type NameKeys } from "./protocol/keys.js";
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
