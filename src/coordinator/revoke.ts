import type { LockKind } from "../protocol/lock-kind.js";
import { newOperation, type Vote } from "../protocol/operation.js";
import { outwaitMs } from "../protocol/lease-times.js";
import type { Context } from "./context.js";
import { ALL_NODES } from "../protocol/quorum.js";
import { poll } from "./poll.js";

/** Settings for ending locks by force. */
export interface RevokeSettings {
  readonly nodeTimeoutMs: number;
  /** Longest ttl of any client's lock here: a holder may act on its lock for so long. */
  readonly maxTtlMs: number;
  readonly driftFactor: number;
  /** How far a node's clock may gain on real time meanwhile, as any client has it, ms. */
  readonly clockStepMs: number;
}

/** Reads all that is stored under a name on each node. Votes by node index. */
export function inspect(
  context: Context,
  keys: LockKind,
  nodeTimeoutMs: number,
): Promise<readonly Vote[]> {
  const sendBeforeMs = context.clock.now() + nodeTimeoutMs;
  const operation = newOperation("inspect", { keys, ownerId: "", sendBeforeMs });
  return poll(context, operation, 0, nodeTimeoutMs);
}

/**
 * Ends the lock of one owner on all nodes: each node records that it was ended, so that no heal restores it, and then
 * deletes its key as in a release.
 *
 * No later round of the holder can win against a quorum of such nodes. Until its next renewal, or the end of its
 * validity, it may still act on the lock.
 *
 * @param owner and the kind of its lock, by which it is released
 * @param fence lifts lower counters, so that a late grant of this owner cannot be sealed
 * @returns the votes on the release by node index; a fault where the node may not have recorded it
 */
export async function revoke(
  context: Context,
  keys: LockKind,
  { ownerId, keys: ownKeys }: { readonly ownerId: string; readonly keys: LockKind },
  fence: number | undefined,
  settings: RevokeSettings,
): Promise<readonly Vote[]> {
  const { nodeTimeoutMs, maxTtlMs, driftFactor, clockStepMs } = settings;
  const ttlMs = outwaitMs(maxTtlMs, driftFactor) + clockStepMs;
  const sendBeforeMs = context.clock.now() + nodeTimeoutMs;
  const ended = newOperation("revoke", { keys, ownerId, ttlMs, sendBeforeMs });
  const waiter = context.waitQueues.of(keys)?.toSend();
  const release = newOperation("release", {
    ...{ keys: ownKeys, ownerId, ttlMs, fence, waiter },
    sendBeforeMs: Number.POSITIVE_INFINITY,
  });
  // In one tick, and so in one batch, in this order.
  const [marks, releases] = await Promise.all([
    poll(context, ended, 0, nodeTimeoutMs),
    poll(context, release, ALL_NODES, nodeTimeoutMs),
  ]);
  return releases.map((vote, index) => {
    const mark = marks[index];
    return mark?.kind === "fault" ? mark : vote;
  });
}
