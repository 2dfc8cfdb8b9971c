import { quorumSize } from "./quorum-verdict.js";

/**
 * Who holds a name, as a quorum of nodes says: null for nobody, undefined where no quorum says the same.
 *
 * @param said by node index: the holders on it, none where it is free; undefined where that is unknown
 */
export function agreedHolder(
  said: readonly (readonly string[] | undefined)[],
): string | null | undefined {
  const quorum = quorumSize(said.length);
  const counts = new Map<string, number>();
  let freeCount = 0;
  for (const holders of said) {
    if (holders?.length === 0) freeCount++;
    for (const holder of holders ?? []) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  }
  for (const [holder, count] of counts) if (count >= quorum) return holder;
  return freeCount >= quorum ? null : undefined;
}
