import keySlot from "cluster-key-slot";

/** Hash slots of a Cluster. */
export const SLOT_COUNT = 16_384;

/** Numbers that are hashed at once: on a slow machine it takes about a millisecond. */
const SLICE_SIZE = 2_048;

/** By hash slot: the smallest number whose digits hash to it, the same in every client. */
export type SlotTags = readonly string[];

/**
 * A hundred thousand numbers have to be hashed before every slot has one: in slices, so that the process does something
 * else in between.
 */
export async function hashedTags(): Promise<SlotTags> {
  const tags: string[] = [];
  let leftCount = SLOT_COUNT;
  for (let next = 0; leftCount > 0; next++) {
    if (next % SLICE_SIZE === 0) await new Promise((resolve) => setImmediate(resolve));
    const tag = String(next);
    const slot = keySlot(tag);
    if (tags[slot] !== undefined) continue;
    tags[slot] = tag;
    leftCount--;
  }
  return tags;
}

let tagsOfProcess: Promise<SlotTags> | undefined;

/** Those of all Clusters of this process; begun by the first call. */
export function slotTags(): Promise<SlotTags> {
  return (tagsOfProcess ??= hashedTags());
}
