import type { PlacePrefix } from "./lock-kind.js";
import { MAX_TURN_MS, MIN_TURN_MS } from "./node-queue.js";
import { numbersIn } from "./permits.js";

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
const MAX_GRANT_LENGTH = 16_384;

const GRANT = /^granted (0|[1-9]\d{0,15}) (0|[1-9]\d{0,15}) ([01]) ([0-9a-f]{40}) (.+)$/su;

/** Anybody who may publish can write messages, so anything that a node would not send yields undefined. */
export function parseNodeGrant(message: string): NodeGrant | undefined {
  if (message.length > MAX_GRANT_LENGTH) return undefined;
  const [, fenceText, numberText, isWaitedFor, proof = "", lockKey] = GRANT.exec(message) ?? [];
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

/** A node's message on the channel of a process: it reserves a name, or a permit, for that process. */
export interface TurnMessage {
  readonly lockKey: string;
  /** For which of its places. */
  readonly placePrefix: PlacePrefix;
  /** How long the node reserves it, ms. */
  readonly turnMs: number;
  /** For a semaphore: which permits, ascending. */
  readonly permits?: readonly number[] | undefined;
}

/**
 * Longer messages are dropped unread, whatever they say; a waiter with such a name polls. The numbers of permits that are
 * no neighbours take up to 33,330 characters.
 */
const MAX_TURN_LENGTH = 50_000;

/**
 * `20:lock:invoice`, `r20:...` to a reader, `s20:...` to one that waits for any permit, `s3,20:...` for any three;
 * `20/3:lock:pool` for permit 3, `20/0-1,5:...` for three of them.
 */
const TURN = /^(?:([rs]?|s[1-9]\d{0,4},)(\d{1,3})|(\d{1,3})\/([\d,-]+)):(.+)$/su;

/**
 * Parses a message from the channel. Anybody who may publish can write there, so anything that a node would not send
 * yields undefined. A node that may not ask who listens also sends empty messages, to count them.
 */
export function parseTurnMessage(message: string): TurnMessage | undefined {
  if (message.length > MAX_TURN_LENGTH) return undefined;
  const [, wants = "s", ofName, ofPermits, numbers, lockKey] = TURN.exec(message) ?? [];
  const turnMs = Number(ofName ?? ofPermits);
  if (lockKey === undefined || !(turnMs >= MIN_TURN_MS && turnMs <= MAX_TURN_MS)) return undefined;
  const placePrefix = wants as PlacePrefix;
  if (numbers === undefined) return { lockKey, placePrefix, turnMs, permits: undefined };
  const permits = numbersIn(numbers);
  return permits && { lockKey, placePrefix, turnMs, permits };
}

/** `lost x9_Kq2`: a node has ended a lock of this process, other than by its release. */
const LOSS = /^lost ([\w-]{6})$/u;

/**
 * The beginning of the ownerId; see `beginningOf`. Anybody who may publish can write such a message, so it proves
 * nothing; anything that a node would not send yields undefined.
 */
export function parseLossMessage(message: string): string | undefined {
  return LOSS.exec(message)?.[1];
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
