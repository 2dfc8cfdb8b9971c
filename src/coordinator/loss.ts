import type { Votes } from "../protocol/operation.js";

/**
 * - `expired`: validity ran out; `lossCause` says why it was not extended
 * - `taken`: so many nodes no longer hold our ownerId that no quorum can
 * - `maxHold`: the lock was held for `maxHoldMs`
 * - `closed`: its lock manager was closed
 * - `stolen`: a request of the same lock manager stole it; by another it is `taken`
 */
export type LossReason = "expired" | "taken" | "maxHold" | "closed" | "stolen";

/**
 * Why a lease ran out without having been extended.
 *
 * - `notRenewed`: nobody was to renew it
 * - `stalled`: the process did not run for at least `forMs` of it
 * - `queued`: its renewal waited for other renewals of the process
 * - `unconfirmed`: it was to be extended, and these are the nodes' last votes on that
 */
export type LossCause =
  | { readonly kind: "notRenewed" }
  | { readonly kind: "stalled"; readonly forMs: number }
  | { readonly kind: "queued" }
  | { readonly kind: "unconfirmed"; readonly votes: Votes };

/** A stall of such a part of a lease's ttl leaves too little time for its renewals. */
export const STALLED_PART = 1 / 3;
