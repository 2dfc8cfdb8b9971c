/**
 * When a command must be stopped so that it ends before its lock does. Pure: no clocks, no processes.
 *
 * ```text
 *   granted      renewal due       late          terminate            kill   end of validity
 *      |------------|----------------|---------------|---- grace --------|-- margin --|
 * ```
 */
export interface StopTimes {
  /** From the first signal to the kill, ms. */
  readonly graceMs: number;
  /** From the kill to the end of the validity, ms: room for delays of the timer, the kernel and the guard. */
  readonly marginMs: number;
  /** With less validity left than this, a renewal is late, ms: it was due and has failed at least once. */
  readonly lateMs: number;
}

/** What must be done with that much validity left. Stages only advance, except that a late lock may be renewed. */
export type Stage = "calm" | "late" | "terminate" | "kill";

const MIN_MARGIN_MS = 200;

export function stopTimes(ttlMs: number, graceMs: number = defaultGraceMs(ttlMs)): StopTimes {
  const marginMs = marginOf(ttlMs);
  return { graceMs, marginMs, lateMs: Math.max(ttlMs / 2, graceMs + marginMs) };
}

function marginOf(ttlMs: number): number {
  return Math.max(MIN_MARGIN_MS, Math.ceil(ttlMs / 100));
}

export function defaultGraceMs(ttlMs: number): number {
  return Math.floor(ttlMs / 3);
}

/** What {@link problemOf} needs to know of a lock. */
export interface LeaseTimes {
  readonly ttlMs: number;
  /** As given, if it was: that of a lock is at most half of its ttl, and grows with it. */
  readonly nodeTimeoutMs: number;
  readonly maxHoldMs: number;
}

/**
 * Checks that a failed renewal can be retried before the command is stopped, that the grace period is complete, and
 * that the command has time to run before it.
 *
 * @returns what is wrong, in terms of the command line's options; undefined if nothing is
 */
export function problemOf(
  { ttlMs, nodeTimeoutMs, maxHoldMs }: LeaseTimes,
  { graceMs, marginMs }: StopTimes,
): string | undefined {
  if (3 * graceMs > ttlMs) {
    return `--grace must be at most a third of --ttl (${ttlMs} ms), got ${graceMs} ms`;
  }
  const longEnoughMs = longEnough(ttlMs, nodeTimeoutMs);
  if (ttlMs < longEnoughMs) {
    return (
      `--ttl must be at least ${longEnoughMs} ms with a --node-timeout of ${nodeTimeoutMs} ms, ` +
      `or renewals have no second chance; got ${ttlMs} ms`
    );
  }
  if (maxHoldMs <= graceMs + marginMs) {
    return (
      `--max-hold must be more than --grace and the margin after it (${graceMs + marginMs} ms), ` +
      `or the command is stopped before it starts; got ${maxHoldMs} ms`
    );
  }
  return undefined;
}

/**
 * The ttl, or a longer one: renewed after a third of it, the second third must fit one renewal that times out, and
 * another one.
 */
function longEnough(ttlMs: number, nodeTimeoutMs: number): number {
  // The margin grows with the ttl, a hundredth as fast.
  const neededMs = Math.ceil(3 * (2 * nodeTimeoutMs + marginOf(ttlMs)));
  return ttlMs < neededMs ? longEnough(neededMs, nodeTimeoutMs) : ttlMs;
}

export function stageAt(remainingMs: number, { graceMs, marginMs, lateMs }: StopTimes): Stage {
  if (remainingMs <= marginMs) return "kill";
  if (remainingMs <= graceMs + marginMs) return "terminate";
  return remainingMs <= lateMs ? "late" : "calm";
}

/** How long until the next stage begins, ms. Infinity in the last. */
export function untilNextStageMs(remainingMs: number, times: StopTimes): number {
  const { graceMs, marginMs, lateMs } = times;
  switch (stageAt(remainingMs, times)) {
    case "calm":
      return remainingMs - lateMs;
    case "late":
      return remainingMs - graceMs - marginMs;
    case "terminate":
      return remainingMs - marginMs;
    case "kill":
      return Number.POSITIVE_INFINITY;
  }
}

/** What the guard is sent with that much validity left, ms from now. */
export interface GuardTimes {
  readonly terminateInMs: number;
  readonly killInMs: number;
}

/**
 * A little later than quorate itself acts, so that a command is not signalled twice, but before the end of the
 * validity.
 */
export function guardTimes(remainingMs: number, { graceMs, marginMs }: StopTimes): GuardTimes {
  const lagMs = marginMs / 2;
  const killInMs = Math.max(0, remainingMs - marginMs + lagMs);
  return {
    terminateInMs: Math.max(0, Math.min(killInMs, remainingMs - graceMs - marginMs + lagMs)),
    killInMs,
  };
}
