import type { LockKind } from "../protocol/lock-kind.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { WaitSettings } from "../protocol/next-move.js";

/** What an acquire wants, and for how long. */
export interface AcquireRequest {
  readonly keys: LockKind;
  readonly settings: LeaseSettings;
  readonly wait: WaitSettings;
  /** Lease clock, ms. */
  readonly startedMs: number;
  /** The acquire's deadline, lease clock, ms. */
  readonly deadlineMs: number;
}
