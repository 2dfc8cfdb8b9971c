import type { Holding } from "./holding.js";

/** What a lock is made of, for whoever has it: the lease itself, or one of several handles on it. */
export type HeldLease = Pick<
  Holding,
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
