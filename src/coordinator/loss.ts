import type { Votes } from "../protocol/operation.js";

/**
 * - `expired`: validity ran out; `lossCause` says why it was not extended
 * - `taken`: too many nodes have lost our key for a quorum to hold it
 * - `maxHold`: the lock was held for `maxHoldMs`
 * - `closed`: its lock manager was closed
 * - `stolen`: a request of the same lock manager stole it; if one of another manager did, it is `taken`
 */
export type LossReason = "expired" | "taken" | "maxHold" | "closed" | "stolen";

/**
 * Why a lease expired without having been extended; `lateMs` is since when its renewal was due, if that had not begun.
 *
 * - `notRenewed`: automatic renewal was off
 * - `stalled`: the process was stalled for at least `forMs` of it
 * - `queued`: its renewal waited for other renewals of the process
 * - `unconfirmed`: extend rounds were sent; these are the nodes' last votes
 */
export type LossCause =
  | { readonly kind: "notRenewed" }
  | { readonly kind: "stalled"; readonly forMs: number; readonly lateMs?: number | undefined }
  | { readonly kind: "queued"; readonly lateMs?: number | undefined }
  | { readonly kind: "unconfirmed"; readonly votes: Votes };

/** A stall of this fraction of the ttl leaves too little time for renewals. */
export const STALLED_PART = 1 / 3;
