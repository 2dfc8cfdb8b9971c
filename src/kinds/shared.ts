import type { NameKeys } from "../protocol/keys.js";
import type { LockKind, QueueRules } from "../protocol/lock-kind.js";
import { NamedLock, WHOLE_NAME } from "./exclusive.js";

const QUEUE: QueueRules = {
  ...WHOLE_NAME,
  placePrefix: "r",
  admitsOthers: true,
  isRefreshed: true,
};

/**
 * One of many readers of a name: the lock key says that there are readers, and each has its own expiry next to it.
 */
export function sharedLock(keys: NameKeys): LockKind {
  return new NamedLock(keys, {
    id: "shared",
    words: "a shared lock",
    mode: "shared",
    queue: QUEUE,
  });
}
