import { nameKeys } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { MAX_PERMITS } from "../protocol/semaphore-size.js";
import type { TurnMessage } from "../protocol/node-messages.js";
import { exclusiveLock } from "./exclusive.js";
import { permitLock } from "./permit.js";

/** A reservation of a node for this process. The number of permits does not matter when it is passed on. */
export function reservedBy({ lockKey, placePrefix, permits }: TurnMessage): LockKind {
  const keys = nameKeys("", lockKey);
  return placePrefix.startsWith("s")
    ? permitLock(keys, MAX_PERMITS, permits?.length ?? wantedIn(placePrefix), permits)
    : exclusiveLock(keys);
}

/** How many permits a place is for. */
function wantedIn(placePrefix: TurnMessage["placePrefix"]): number {
  return placePrefix === "s" ? 1 : Number.parseInt(placePrefix.slice(1), 10);
}
