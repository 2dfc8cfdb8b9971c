import { newOperation, type Votes } from "../protocol/operation.js";
import type { LockKind } from "../protocol/lock-kind.js";
import {
  isNewerSize,
  MAX_SIZE_VERSION,
  nextVersion,
  type KnownSize,
  type SemaphoreSize,
} from "../protocol/semaphore-size.js";
import { quorumSize } from "../protocol/quorum.js";
import type { Context } from "./context.js";
import { poll } from "./poll.js";

/** Asks all nodes for the size of a semaphore and its free permits, and brings them the size of `keys`. */
export function askSize(context: Context, keys: LockKind, nodeTimeoutMs: number): Promise<Votes> {
  const sendBeforeMs = context.clock.now() + nodeTimeoutMs;
  const operation = newOperation("size", { keys, ownerId: "", sendBeforeMs });
  return poll(context, operation, 0, nodeTimeoutMs);
}

/**
 * Stores a size on a quorum of nodes. Its version is newer than any that a quorum had before: a node stores no older one,
 * and two quorums share a node. One round is enough, unless a node has a version of a clock that is ahead of ours, or
 * others resize it at the same moment: then it asks again, with a version above theirs. Also where only a minority has
 * the newer one: it could come into force later, although it was asked for before. Of those that ask at the same
 * moment, the one with the newest version need not ask again.
 *
 * @param lockOf the semaphore with that size
 * @param known of the semaphore
 * @returns the votes of the nodes, where a quorum has not stored it
 */
export async function resize(
  context: Context,
  lockOf: (size: KnownSize) => LockKind,
  known: KnownSize,
  count: number,
  nodeTimeoutMs: number,
): Promise<Votes | undefined> {
  const quorum = quorumSize(context.nodes.length);
  while (true) {
    const version = nextVersion(known.current, context.clock.wallUs());
    const size = { count, version };
    const keys = lockOf({ current: size, learn: (other) => known.learn(other) });
    const votes = await askSize(context, keys, nodeTimeoutMs);
    const found = votes.flatMap((vote) => (vote?.kind === "granted" && vote.size) || []);
    const isOutdated = found.some((one) => isNewerSize(one, size));
    if (!isOutdated && found.filter((one) => isSame(one, size)).length >= quorum) {
      known.learn(size);
      return undefined;
    }
    if (!isOutdated || found.length < quorum || version === MAX_SIZE_VERSION) return votes;
  }
}

function isSame(one: SemaphoreSize, other: SemaphoreSize): boolean {
  return one.version === other.version && one.count === other.count;
}
