import type { Votes } from "./context.js";

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
