import type { NameKeys } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { TimestampLayout } from "../protocol/lock-layout.js";
import { NamedLock } from "./exclusive.js";

/** A lock whose key says when it ends, as in hand-written code; its owner is stored in a key next to it. */
export function timestampLock(keys: NameKeys, layout: TimestampLayout): LockKind {
  return new NamedLock(keys, {
    id: "timestamp",
    words: "a lock in the layout of a timestamp",
    layout,
    scriptArgs: [layout],
  });
}
