/** How far clocks are from one another, as far as messages that go there and back can tell. */

export interface ClockOffset {
  /** Of a node's wall clock from ours: above 0 if it is ahead. */
  readonly offsetMs: number;
  /** It may be so much more or less. */
  readonly errorMs: number;
}

/** The node's time is that of some instant between the question and the answer. */
export function clockOffset(nodeMs: number, wallMs: number, roundTripMs: number): ClockOffset {
  const halfMs = roundTripMs / 2;
  // The node tells whole ms, rounded down.
  return { offsetMs: nodeMs + 0.5 - (wallMs - halfMs), errorMs: halfMs + 1 };
}

/**
 * From which offset on a clock is not right, ms. Clocks that are synchronised agree to within a tenth of that. Less if
 * `clockStepMs` allows for less: who corrects a clock by that much must not use up all of it.
 */
export function offsetLimitMs(clockStepMs: number): number {
  return clockStepMs > 0 ? Math.min(1_000, clockStepMs / 2) : 1_000;
}

/** How far a clock is at least from what most say, ours (which is 0) included: the middle one of all. */
export function strayMs(offset: ClockOffset, others: readonly ClockOffset[]): number {
  const all = [0, offset.offsetMs, ...others.map(({ offsetMs }) => offsetMs)].toSorted(
    (a, b) => a - b,
  );
  const [low, high] = [all[(all.length - 1) >> 1] as number, all[all.length >> 1] as number];
  // Of two middle ones the one that says that ours is right.
  const middleMs = Math.abs(low) < Math.abs(high) ? low : high;
  const errorMs = Math.max(offset.errorMs, ...others.map((other) => other.errorMs));
  return Math.max(0, Math.abs(offset.offsetMs - middleMs) - offset.errorMs - errorMs);
}
