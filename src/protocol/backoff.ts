import { MAX_REFRESH_MS } from "./node-queue.js";

/** What decides how long a refused contender sleeps before its next attempt. */
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
 * Never sleeps past the moment at which a quorum can be free by expiry, because the name may be available immediately
 * then; never less than `minDelayMs`, unless the name expires sooner.
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
 * How long a waiter in the nodes' queues sleeps if it keeps its place by attempts. A notification is a hint and can
 * get lost, so it polls: within `maxDelayMs`, and soon after a quorum can be free by expiry, because expiry notifies
 * nobody. Its place also expires soon unless it asks.
 */
export function turnWaitMs(input: Omit<BackoffInput, "attemptCount">): number {
  const { minDelayMs, maxDelayMs, quorumFreeInMs, unit } = input;
  const longestMs = Math.min(maxDelayMs, MAX_REFRESH_MS);
  const pollMs = Math.max(minDelayMs, longestMs * (0.5 + unit / 2));
  return Math.min(pollMs, Math.max(1, quorumFreeInMs) + unit * minDelayMs);
}

/**
 * Limit for attempts that a waiter makes because it was notified. Nearly every such attempt is granted; but anybody
 * who may publish can forge notifications, and must not set our pace.
 */
export const MAX_TURN_TRIES_A_SECOND = 20;

const FIRST_RECONNECT_MS = 50;
const MAX_RECONNECT_MS = 1_000;

/**
 * Pause before the next attempt to connect, ms. Short, growing, jittered: soon after a node is back, but not all
 * clients at once.
 */
export function reconnectDelayMs(failedCount: number, unit: number): number {
  const capMs = Math.min(MAX_RECONNECT_MS, FIRST_RECONNECT_MS * 2 ** Math.min(failedCount - 1, 10));
  return capMs * (0.5 + unit / 2);
}

/**
 * Connections in a row that were in use for less than the longest pause. A server may end each at once, so for them
 * the pauses grow as for those that fail.
 *
 * @param usedMs how long the last one was in use, ms; -Infinity if it never was
 */
export function briefCountAfter(briefCount: number, usedMs: number): number {
  if (usedMs >= MAX_RECONNECT_MS) return 0;
  return usedMs < 0 ? briefCount : briefCount + 1;
}
