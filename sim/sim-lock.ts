import type { Term } from "../src/face/election.js";
import type { Lock } from "../src/face/lock.js";
import type { Held } from "./service.js";

/** A lock, or a term that stands on one, as a service has it; and as what histories know it. */
export interface SimLock extends Held {
  readonly lock: Lock<boolean> | Term<boolean>;
  /** Which of several handles on the lock it is. */
  readonly handle?: number | undefined;
}
