import type { Term } from "../src/api/election.js";
import type { Lock } from "../src/api/lock.js";
import type { Held } from "./service.js";

/** A lock, or a term and its lock, as a service has it and as histories know it. */
export interface SimLock extends Held {
  readonly lock: Lock | Term;
  /** Its number among several handles on the lock. */
  readonly handle?: number | undefined;
}
