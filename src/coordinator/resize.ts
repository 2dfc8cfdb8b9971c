import { newOperation, type OperationOf, type Votes } from "../protocol/operation.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { KnownSize, SemaphoreSize } from "../protocol/semaphore-size.js";
import { quorumSize } from "../protocol/verdict.js";
import type { Context } from "./context.js";
import { poll } from "./poll.js";

/** Asks all nodes for the size of a semaphore and its free permits, and brings them the size of `keys`. */
export function askSize(context: Context, keys: LockKind, nodeTimeoutMs: number): Promise<Votes> {
  return poll(context, sizeOf(context, keys, nodeTimeoutMs), 0, nodeTimeoutMs);
}

function sizeOf({ clock }: Context, keys: LockKind, nodeTimeoutMs: number): OperationOf<"size"> {
  return newOperation("size", { keys, ownerId: "", sendBeforeMs: clock.now() + nodeTimeoutMs });
}

/**
 * Stores a size on a quorum of nodes. Its version is newer than any that a quorum had before: a node stores no older one,
 * and two quorums share a node. One round is enough, unless a node has a version of a clock that is ahead of ours, or
 * others resize it at the same moment: then it asks again, with a version above theirs. Of those that ask at the same
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
    const wallMs = Math.floor(context.clock.wallUs() / 1_000);
    const version = Math.max(wallMs, known.current.version + 1);
    const size = { count, version };
    const keys = lockOf({ current: size, learn: (other) => known.learn(other) });
    const votes = await askSize(context, keys, nodeTimeoutMs);
    const found = votes.flatMap((vote) => (vote?.kind === "granted" && vote.size) || []);
    if (found.filter((one) => isSame(one, size)).length >= quorum) {
      known.learn(size);
      return undefined;
    }
    if (found.length < quorum || known.current.version < version) return votes;
  }
}

function isSame(one: SemaphoreSize, other: SemaphoreSize): boolean {
  return one.version === other.version && one.count === other.count;
}
