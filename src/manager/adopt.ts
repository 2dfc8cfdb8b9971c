import { show } from "../runtime/validate.js";
import type { Acquirer } from "./acquirer.js";
import type { GivenLock, Lock } from "../api/lock.js";
import type { AdoptOptions } from "../api/options.js";
import { checkPlace } from "../options/table.js";
import { resolveAcquireOptions, withMinHold } from "../options/resolve.js";
import { checkedGivenLock } from "./check-given-lock.js";
import { LeasedLock } from "./lock.js";

/** Takes over a lock that another process handed over. Throws as {@link LockManager.adopt} does. */
export async function adopt(
  acquirer: Acquirer,
  json: GivenLock | string,
  options: AdoptOptions,
): Promise<Lock> {
  const { nodes, settings } = acquirer;
  const given = checkedGivenLock(json);
  const keys = acquirer.openLockOf(given.name, "json.name");
  if (keys.lockKey !== given.lockKey) {
    throw new RangeError(
      `\`json.lockKey\` must be ${show(keys.lockKey)} by \`keyPrefix\`, got ${show(given.lockKey)}`,
    );
  }
  checkPlace(options, "adopt");
  // Without a ttl of its own it goes on with the giver's, not with the default.
  const withTtl = { ...options, ttlMs: options.ttlMs ?? given.ttlMs };
  const { lease, wait, signal } = resolveAcquireOptions(withTtl, settings, 0, "adopt");
  acquirer.checkTtl(lease);
  const { ownerId: giverId, minHoldMs = 0 } = given;
  const standing = { as: "adopt", giverId, minHoldMs } as const;
  // Counted from the grant here: the time on the way only makes it longer.
  const held = withMinHold(lease, minHoldMs, "json.minHoldMs");
  const wanted = { keys, settings: held, wait, standing };
  return new LeasedLock(await acquirer.ask(wanted, { signal, reentrant: false }), nodes);
}
