import type { NameKeys } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { TimestampLayout } from "../protocol/timestamps.js";
import { lockOf } from "./lock-of.js";

/** A lock whose key says when it ends, as hand-written code has it; its owner stands in a key beside it. */
export function timestampLock(keys: NameKeys, layout: TimestampLayout): LockKind {
  return lockOf(keys, {
    id: "timestamp",
    words: "a lock in the layout of a timestamp",
    layout,
    scriptArgs: [layout],
  });
}
