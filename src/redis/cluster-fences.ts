import keySlot from "cluster-key-slot";
import { RESERVED_PREFIX } from "../protocol/keys.js";
import type { Operation } from "../protocol/operation.js";
import { withFewerBuckets } from "../script/fence-buckets.js";

const SLOT_COUNT = 16_384;

/** Fences per slot: all slots together have four times as many as an independent node. */
const BUCKET_COUNT = 16;

/** By slot: the first text that hashes to it. Computed at the first use, which takes 40 to 100 ms for all. */
let tags: readonly string[] | undefined;

/** The key of a hash slot's fences, in that slot: its hash tag is a number. */
export function fencesKey(slot: number): string {
  tags ??= allTags();
  return `${RESERVED_PREFIX}fences:{${tags[slot]}}`;
}

/** The smallest number of each slot, the same in every client. */
function allTags(): readonly string[] {
  const found = Array.from({ length: SLOT_COUNT }, () => "");
  for (let [next, left] = [0, SLOT_COUNT]; left > 0; next++) {
    const tag = String(next);
    const slot = keySlot(tag);
    if (found[slot] !== "") continue;
    found[slot] = tag;
    left--;
  }
  return found;
}

/** The same operation with the bucket of a small table. Its encoding must not be shared with other nodes. */
export function inSmallTable(operation: Operation): Operation {
  return withFewerBuckets(operation, BUCKET_COUNT);
}
