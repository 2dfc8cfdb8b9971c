/** How far clocks differ, as far as round trips can tell. */

import { quorumSize } from "./quorum.js";

export interface ClockOffset {
  /** A node's wall clock minus ours: above 0 if it is ahead. */
  readonly offsetMs: number;
  /** Error bound in either direction. */
  readonly errorMs: number;
}

/** The node read its time at some instant between the question and the answer. */
export function clockOffset(nodeMs: number, wallMs: number, roundTripMs: number): ClockOffset {
  const halfMs = roundTripMs / 2;
  // The node reports whole ms, rounded down.
  return { offsetMs: nodeMs + 0.5 - (wallMs - halfMs), errorMs: halfMs + 1 };
}

/**
 * Offset from which a clock counts as wrong, ms. Synchronised clocks agree to within a tenth of that. It is less if
 * `clockStepMs` is small: correcting a clock by this much must not use up the whole allowance.
 */
export function offsetLimitMs(clockStepMs: number): number {
  return clockStepMs > 0 ? Math.min(1_000, clockStepMs / 2) : 1_000;
}

/** What several clocks agree on. */
export interface Consensus {
  /** The median of all, ours (which is 0) included. */
  readonly middleMs: number;
  /** The largest error bound. */
  readonly errorMs: number;
}

export function consensusOf(clocks: readonly ClockOffset[]): Consensus {
  const all = [0, ...clocks.map(({ offsetMs }) => offsetMs)].toSorted((a, b) => a - b);
  const [low, high] = [all[(all.length - 1) >> 1] as number, all[all.length >> 1] as number];
  // Of two middle clocks, the one that agrees with ours.
  const middleMs = Math.abs(low) < Math.abs(high) ? low : high;
  return { middleMs, errorMs: Math.max(...clocks.map((clock) => clock.errorMs)) };
}

/** How far a clock is, at least, from the median of all clocks that were compared, which include it. */
export function strayMs({ offsetMs, errorMs }: ClockOffset, all: Consensus): number {
  return Math.max(0, Math.abs(offsetMs - all.middleMs) - errorMs - all.errorMs);
}

/** Clocks within that of each other agree, ms: synchronised ones do. */
export const AGREED_MS = 1_000;

/**
 * How far the clocks of a quorum of nodes that agree are ahead of ours, ms; undefined if none is known. Any two quorums
 * share a node, so whoever goes by the nodes goes by the same time.
 */
export function agreedOffsetMs(
  nodes: readonly ClockOffset[],
  nodeCount: number,
): number | undefined {
  const all = nodes.map(({ offsetMs }) => offsetMs).toSorted((a, b) => a - b);
  const middleMs = all[all.length >> 1] ?? 0;
  const agreed = nodes.filter(
    ({ offsetMs, errorMs }) => Math.abs(offsetMs - middleMs) + errorMs <= AGREED_MS,
  );
  return agreed.length >= quorumSize(nodeCount) ? middleMs : undefined;
}
