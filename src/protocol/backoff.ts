import { MAX_REFRESH_MS } from "./place.js";
import { quorumSize } from "./verdict.js";

/** What decides how long a loser sleeps before its next attempt. */
export interface BackoffInput {
  /** Attempts made so far, from 1. */
  readonly attemptCount: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** When a quorum can be free by expiry alone, in ms from now; Infinity if that is unknown. */
  readonly quorumFreeInMs: number;
  /** A random number in [0, 1). */
  readonly unit: number;
}

/**
 * Exponential back-off with full jitter: without jitter, contenders that split the votes once
 * split them again at every attempt.
 *
 * Never sleeps past the moment at which a quorum can be free by expiry, because the name may then
 * be had at once; never less than `minDelayMs`, unless the name frees itself sooner.
 *
 * Source: "Exponential Backoff And Jitter", AWS Architecture Blog, 2015 (full jitter).
 */
export function backoffMs(input: BackoffInput): number {
  const { attemptCount, minDelayMs, maxDelayMs, quorumFreeInMs, unit } = input;
  const cap = Math.min(maxDelayMs, minDelayMs * 2 ** Math.min(attemptCount, 30));
  const jittered = minDelayMs + unit * Math.max(0, cap - minDelayMs);
  return Math.min(jittered, Math.max(1, quorumFreeInMs));
}

/**
 * How long one sleeps who is in the queue of the nodes, will be woken when it is its turn, and keeps its
 * place by attempts. Being woken is a hint and can get lost, so it looks again by itself: within
 * `maxDelayMs`, and soon after a quorum can be free by expiry, because nobody is woken by that; and its place
 * does not count for long unless it asks.
 */
export function turnWaitMs(input: Omit<BackoffInput, "attemptCount">): number {
  const { minDelayMs, maxDelayMs, quorumFreeInMs, unit } = input;
  const longestMs = Math.min(maxDelayMs, MAX_REFRESH_MS);
  const pollMs = Math.max(minDelayMs, longestMs * (0.5 + unit / 2));
  return Math.min(pollMs, Math.max(1, quorumFreeInMs) + unit * minDelayMs);
}

/** Shortest and longest turn, ms. */
export const MIN_TURN_MS = 5;
export const MAX_TURN_MS = 100;

/**
 * For how long a node keeps a name for a process whose turn it is, ms: time for it to be woken and
 * to ask; nobody else waits longer than that for one who does not come.
 */
export function turnMs(nodeTimeoutMs: number): number {
  return Math.ceil(Math.min(MAX_TURN_MS, Math.max(MIN_TURN_MS, nodeTimeoutMs / 4)));
}

/**
 * Attempts that one who waits begins because nodes say that it is its turn. Nearly every such attempt
 * is granted; but anybody who may publish can write such messages, and must not set our pace.
 */
export const MAX_TURN_TRIES_A_SECOND = 20;

/**
 * When a quorum of nodes can be free by expiry alone, in ms.
 *
 * @param blockedMs one entry a node: 0 if it would grant, the holder's remaining PTTL if it
 *   refused, Infinity if nothing is known.
 */
export function quorumFreeInMs(blockedMs: readonly number[]): number {
  const quorum = quorumSize(blockedMs.length);
  let freeInMs = Number.POSITIVE_INFINITY;
  // Asked for every name that is waited for: without a list that is sorted anew each time.
  for (const eachMs of blockedMs) {
    if (eachMs >= freeInMs) continue;
    let freeCount = 0;
    for (const otherMs of blockedMs) if (otherMs <= eachMs) freeCount++;
    if (freeCount >= quorum) freeInMs = eachMs;
  }
  return freeInMs;
}
