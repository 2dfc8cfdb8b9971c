/** A node has executed the deferred acquire of this process: a message that is the node's vote, if it is proven. */
export interface NodeGrant {
  readonly lockKey: string;
  /** Of the lock that it grants. */
  readonly fence: number;
  /** Of the call in which the node last heard of this process: the lock begins with the moment it was sent. */
  readonly number: number;
  /** Other processes are in the node's queue. */
  readonly isWaitedFor: boolean;
  /** Made of the ownerId, which is a secret, and what else only the node knows. */
  readonly proof: string;
}

/** Longer messages are dropped unread, whatever they say. */
const MAX_LENGTH = 16_384;

const FORMAT = /^granted (0|[1-9]\d{0,15}) (0|[1-9]\d{0,15}) ([01]) ([0-9a-f]{40}) (.+)$/su;

/** Anybody who may publish can write messages, so anything that a node would not send yields undefined. */
export function parseNodeGrant(message: string): NodeGrant | undefined {
  if (message.length > MAX_LENGTH) return undefined;
  const [, fenceText, numberText, isWaitedFor, proof = "", lockKey] = FORMAT.exec(message) ?? [];
  const [fence, number] = [Number(fenceText), Number(numberText)];
  if (lockKey === undefined || !Number.isSafeInteger(fence) || !Number.isSafeInteger(number))
    return undefined;
  return { lockKey, fence, number, isWaitedFor: isWaitedFor === "1", proof };
}

/** What the proof is the hash of. */
export function provenText(
  ownerId: string,
  recordId: string,
  { number, fence }: Pick<NodeGrant, "number" | "fence">,
): string {
  return `${ownerId} ${recordId} ${number} ${fence}`;
}

/** The longest time for which a deferred acquire may be executed after the process was heard of, ms. */
const MAX_AGE_MS = 500;

/**
 * How long ago a node may have heard of the process that it grants a lock to, ms. That time is taken from the validity,
 * and it is how long a process that has just died can still be given a lock.
 *
 * @param usableMs how much of the validity may pass before the lock is granted
 */
export function maxAgeMs(ttlMs: number, usableMs: number): number {
  return Math.min(MAX_AGE_MS, Math.floor(ttlMs / 10), Math.max(0, Math.floor(usableMs / 2)));
}

/** Below that, a pause of a process on the way would pass for a message that is lost, ms. */
const MIN_GATHER_MS = 5;

/**
 * How long to wait for the messages of the other nodes after the first, ms, before these are asked: twice as long as
 * they take.
 *
 * @param spreadMs see {@link nextSpreadMs}; undefined where none is known
 */
export function gatherMs(nodeTimeoutMs: number, spreadMs: number | undefined): number {
  if (spreadMs === undefined) return Math.min(10, nodeTimeoutMs / 10);
  return Math.min(Math.max(MIN_GATHER_MS, 2 * spreadMs), nodeTimeoutMs / 4);
}

/** Of the spread before, after another hand-over. */
const KEPT = 7 / 8;

/**
 * How long after the first message about a hand-over those of other nodes come, ms: the longest of late. Grows at once:
 * asking nodes whose messages are on their way costs a round trip; and declines over some tens of hand-overs.
 */
export function nextSpreadMs(spreadMs: number | undefined, tookMs: number): number {
  return Math.max(tookMs, (spreadMs ?? 0) * KEPT);
}
