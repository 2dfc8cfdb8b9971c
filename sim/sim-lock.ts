import type { Term } from "../src/face/election.js";
import type { Lock } from "../src/face/lock.js";

/** A lock, or a term that stands on one, as a service has it; and as what histories know it. */
export interface SimLock {
  readonly lock: Lock<boolean> | Term<boolean>;
  readonly ownerId: string;
  readonly token: number | undefined;
  /** One a name of a set, which is held name by name. */
  readonly names: readonly string[];
  /** Which of several handles on the lock it is. */
  readonly handle?: number | undefined;
}

/** Of all its names, as of one. */
export function nameOf({ names }: SimLock): string {
  return names.join(", ");
}
