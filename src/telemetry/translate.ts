import type { LockKind } from "../protocol/lock-kind.js";
import type { LockMessage } from "./messages.js";

/** Identifies the lock. */
export function lockMessage({ name, names, mode }: LockKind): LockMessage {
  return { name, names, mode };
}
