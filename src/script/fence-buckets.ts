import { FENCE_BUCKETS } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Operation } from "../protocol/operation.js";

const known = new WeakMap<LockKind, { readonly count: number; readonly keys: LockKind }>();

/** The same operation for a table with this many buckets: two names in one bucket count once. */
export function withFewerBuckets(operation: Operation, count: number): Operation {
  if (count === FENCE_BUCKETS) return operation;
  const { keys } = operation;
  let fewer = known.get(keys);
  if (fewer?.count !== count) {
    const buckets = keys.fenceBucket.split(",").map((bucket) => Number(bucket) % count);
    fewer = { count, keys: { ...keys, fenceBucket: buckets.join(",") } };
    known.set(keys, fewer);
  }
  return { ...operation, keys: fewer.keys, wire: undefined };
}
