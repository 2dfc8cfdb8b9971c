import { RESERVED_PREFIX } from "../protocol/keys.js";
import type { Operation } from "../protocol/operation.js";
import { withFewerBuckets } from "../script/fence-buckets.js";

/** Fences per slot: all slots together have four times as many as an independent node. */
const BUCKET_COUNT = 16;

/** The key of a hash slot's fences, in that slot. */
export function fencesKey(tag: string): string {
  return `${RESERVED_PREFIX}fences:{${tag}}`;
}

/** The same operation with the bucket of a small table. Its encoding must not be shared with other nodes. */
export function inSmallTable(operation: Operation): Operation {
  return withFewerBuckets(operation, BUCKET_COUNT);
}
