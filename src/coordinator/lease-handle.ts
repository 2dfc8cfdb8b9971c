import type { Lease } from "./lease.js";

/** What a lock object is built on: the lease itself, or one of several handles on it. */
export type LeaseHandle = Pick<
  Lease,
  | (
      | "keys"
      | "ownerId"
      | "fencingToken"
      | "remainingMs"
      | "state"
      | "lossReason"
      | "lossCause"
      | "onLost"
    )
  | ("isHeld" | "extend" | "release" | "give" | "isGiven" | "settings")
>;
