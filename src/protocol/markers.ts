/**
 * What a lock key contains where it is not an ownerId: the holders are then stored next to it. All such values are
 * listed here, so that none can be passed off as an owner.
 *
 * - `owned`: precedes the name of the owner whose holds are stored next to it
 * - `shared`: readers are stored next to it
 * - `semaphore`: precedes the size of a semaphore; the permits held are stored next to it
 * - `turn`: precedes the inbox of a process for which the name is reserved
 */
export const MARKERS = {
  // As long as an ownerId, so that a refused client reads the owner where a label would be.
  owned: "reentrant-lock-held-by:",
  shared: "shared:",
  semaphore: "semaphore:",
  turn: "turn:",
} as const;

/** Our own fields in the hash of an owner's holds begin with it; no owner does. */
export const OWN_FIELDS = "quorate:";

/** Precedes our counts in a hash in Redisson's layout, so that they are not numbers there. */
export const NO_NUMBER = "@";
