/**
 * What a lock key holds where it is not an ownerId itself: who holds the name then stands beside it.
 * All that may stand there is listed here, so that nobody can pass one off as an owner.
 *
 * - `owned`: before the name of the owner whose holds stand beside it
 * - `shared`: readers stand beside it
 * - `semaphore`: before the number of permits; those that are held stand beside it
 * - `turn`: before the inbox of a process for which the name is kept for a moment
 */
export const MARKERS = {
  // As long as an ownerId, so that whoever is refused reads the owner where a label stands.
  owned: "reentrant-lock-held-by:",
  shared: "shared:",
  semaphore: "semaphore:",
  turn: "turn:",
} as const;

/** Fields of ours in the hash of an owner's holds begin with it; no owner does. */
export const OWN_FIELDS = "quorate:";

/** In front of what we count in a hash in Redisson's layout, so that it is no number there. */
export const NO_NUMBER = "@";

/** The number in a field of ours, in either layout. */
export function numberIn(field: string): number {
  return Number(field.startsWith(NO_NUMBER) ? field.slice(NO_NUMBER.length) : field);
}
