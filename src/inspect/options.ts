import { checkKnown, string } from "../validate.js";
import type { LockOptions } from "../options.js";
import { LOCK_OPTIONS } from "../resolve-options.js";
import type { ForceReleaseOptions } from "./force-release.js";

/** Options of {@link LockManager.adopt}: of the lock, as it goes on. */
export interface AdoptOptions<Fencing extends boolean = true> extends LockOptions<Fencing> {
  /** Cancels the adoption (not a lock that is held). Rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws TypeError for an unknown option. */
export function checkAdoptOptions(options: AdoptOptions<boolean>): AdoptOptions<boolean> {
  checkKnown(options, [...LOCK_OPTIONS, "signal"]);
  // An omitted ttl means the giver's; the default would be another one.
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** @throws TypeError for an unknown option or a value that is not a string. */
export function checkForceReleaseOptions(options: ForceReleaseOptions): void {
  checkKnown(options, ["fingerprint"]);
  if (options.fingerprint !== undefined) string("fingerprint", options.fingerprint);
}
