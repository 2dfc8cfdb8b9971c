import type { Clock } from "./ports.js";
import { Throttle, type Throttled } from "./admission.js";

/**
 * Renewals in flight at once. More would queue up at the nodes instead of here, against their own deadlines and ahead
 * of other operations; fewer could not sustain 100,000 locks of 10 s at a round trip of 30 ms.
 */
export const MAX_RENEWALS = 1_024;

/** Closed when all locks are about to be released: renewals would delay that. */
export type Renewals = Throttle<Throttled>;

/**
 * Many locks that are due together (acquired together, or due after a stall) never block the event loop or a node for
 * long. As many urgent renewals again have room.
 */
export function renewalsOn(clock: Clock): Renewals {
  return new Throttle(clock, MAX_RENEWALS, MAX_RENEWALS);
}
