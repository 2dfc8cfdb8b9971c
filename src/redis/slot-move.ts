import { RESERVED_PREFIX } from "../protocol/keys.js";
import { faultVote } from "../protocol/operation.js";

/**
 * A key in the hash slot of that tag that never exists.
 *
 * While a slot is moved key by key, a member executes a script only if it has all keys that the script declares. Ours
 * declare lock keys. What stands beside one (readers, permits, holds, a longer extension) may still be on the other
 * member: the script would find none there, and let in too many. So whatever looks beside a lock key declares this key
 * as well, and both members answer it with TRYAGAIN until the slot has moved. At any other time no member looks for it.
 */
export function absentKey(tag: string): string {
  return `${RESERVED_PREFIX}absent:{${tag}}`;
}

/** The vote of what is answered so. Nothing was executed. */
export const MOVING = faultVote("server", false, "its hash slot is being moved (TRYAGAIN)");
