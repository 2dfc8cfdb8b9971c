import { Latencies } from "../numbers/latencies.js";

/** One lock held by a process that passes names to another and back; times on the clock of all processes, ms. */
export interface Tenure {
  readonly name: string;
  readonly askedMs: number;
  readonly grantedMs: number;
  /** When the release was called. */
  readonly releasedMs: number;
}

/** Measurements of a process that is alone on its names, ms. */
export interface Load {
  readonly acquiresMs: readonly number[];
  readonly cyclesMs: readonly number[];
}

/** Measurements of one run of one subject in one network. */
export interface WideSample {
  /** Round trip of a PING to the node that completes a quorum. */
  readonly boundMs: number;
  readonly acquireP50Ms: number;
  readonly acquireP99Ms: number;
  /** Acquire and release. */
  readonly cycleP50Ms: number;
  readonly cycleP99Ms: number;
  /** From the call of release to the grant in another process, which was waiting. */
  readonly handOverP50Ms: number;
  readonly handOverP99Ms: number;
  readonly handOverCount: number;
}

export function sampleOf(
  boundMs: number,
  { acquiresMs, cyclesMs }: Load,
  handOversMs: readonly number[],
): WideSample {
  const [acquireP50Ms, acquireP99Ms] = quantiles(acquiresMs);
  const [cycleP50Ms, cycleP99Ms] = quantiles(cyclesMs);
  const [handOverP50Ms, handOverP99Ms] = quantiles(handOversMs);
  return {
    boundMs,
    acquireP50Ms,
    acquireP99Ms,
    cycleP50Ms,
    cycleP99Ms,
    handOverP50Ms,
    handOverP99Ms,
    handOverCount: handOversMs.length,
  };
}

/**
 * How long the hand-over of each lock to the other process took, ms, if that process had already been waiting long
 * enough for the nodes to know it.
 */
export function handOversOf(
  one: readonly Tenure[],
  other: readonly Tenure[],
  waitedMs: number,
): number[] {
  const all = [
    ...one.map((tenure) => ({ ...tenure, isOne: true })),
    ...other.map((tenure) => ({ ...tenure, isOne: false })),
  ].toSorted((a, b) => a.grantedMs - b.grantedMs);
  const last = new Map<string, (typeof all)[number]>();
  const found: number[] = [];
  for (const tenure of all) {
    const before = last.get(tenure.name);
    last.set(tenure.name, tenure);
    if (before === undefined || before.isOne === tenure.isOne) continue;
    if (tenure.askedMs + waitedMs > before.releasedMs) continue;
    found.push(tenure.grantedMs - before.releasedMs);
  }
  return found;
}

function quantiles(valuesMs: readonly number[]): [p50: number, p99: number] {
  const latencies = new Latencies();
  for (const ms of valuesMs) latencies.add(ms);
  const [p50 = Number.NaN, p99 = Number.NaN] = latencies.quantiles(0.5, 0.99);
  return [p50, p99];
}
