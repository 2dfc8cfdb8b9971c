import type { Run } from "../protocol/pass-on-run.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { PlaceOfLock } from "./held-places.js";
import type { LeaseSettings } from "./lease-settings.js";

/** The result of an attempt that acquired a lock. */
export interface Grant {
  readonly keys: LockKind;
  readonly settings: LeaseSettings;
  readonly ownerId: string;
  readonly fencingToken: number | undefined;
  readonly firstSendMs: number;
  /** Now, by the lease clock, ms. */
  readonly grantedAtMs: number;
  readonly validUntilMs: number;
  /** Bit mask of the nodes that may hold a key of ours. */
  readonly mayHold: number;
  /** Bit mask of the nodes that hold our key with the token stored. */
  readonly complete: number;
  /** Of one that was waited for. */
  readonly place?: PlaceOfLock | undefined;
  /** How the lock was passed on within this process until this grant. */
  readonly run: Run;
}
