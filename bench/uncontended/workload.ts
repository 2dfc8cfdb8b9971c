import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { Latencies } from "../numbers/latencies.js";
import { callsBetween, readStats, type NodeStats } from "../numbers/node-stats.js";
import { cpuClock } from "../process/cpu-clock.js";
import type { Sample } from "./sample.js";
import type { Subject } from "../subjects/subject.js";
import { checkHonest } from "./honesty.js";

/** Number of names: each is reused long after its last release, and the nodes' memory is bounded. */
const NAME_COUNT = 1_000;
const NAMES = Array.from({ length: NAME_COUNT }, (_, index) => `bench:${index}`);

/** The longest that replies beyond the quorum take to arrive, ms. */
const DRAIN_MS = 50;

/** If the second half of the warm-up is faster, warming up more costs little, and code is still being compiled. */
const FAST_CYCLES_PER_SECOND = 20_000;

export interface RunOptions {
  readonly inFlight: number;
  readonly warmUpCycles: number;
  readonly measureMs: number;
}

/** Acquire and release, on names without contention. */
export async function runUncontended(
  subject: Subject,
  nodes: readonly Redis[],
  { inFlight, warmUpCycles, measureMs }: RunOptions,
): Promise<Sample> {
  await warmUp(subject, inFlight, warmUpCycles);
  await sleep(DRAIN_MS);

  const latencies = new Latencies();
  const before = await readStats(nodes);
  const cpuUs = cpuClock();
  const endMs = performance.now() + measureMs;
  const elapsedMs = await spin(subject, inFlight, () => performance.now() < endMs, latencies);
  await sleep(DRAIN_MS);
  const clientCpuUs = cpuUs();
  const after = await readStats(nodes);

  checkHonest(before, after, latencies.count, nodes.length);
  return sampleOf(subject, nodes.length, latencies, elapsedMs, clientCpuUs, before, after);
}

/**
 * By cycles, not by time: code that is compiled after a number of calls is then as warm in a slow subject as in a
 * fast one.
 */
async function warmUp(subject: Subject, inFlight: number, cycleCount: number): Promise<void> {
  const spinFor = (count: number): Promise<number> => {
    let left = count;
    return spin(subject, inFlight, () => left-- > 0, new Latencies());
  };
  const half = Math.ceil(cycleCount / 2);
  await spinFor(half);
  const elapsedMs = await spinFor(half);
  if ((half * 1_000) / elapsedMs > FAST_CYCLES_PER_SECOND) await spinFor(cycleCount);
}

/** Keeps `inFlight` cycles in flight while `goesOn`, called before each, is true; returns the elapsed time, ms. */
export async function spin(
  subject: Subject,
  inFlight: number,
  goesOn: () => boolean,
  latencies: Latencies,
): Promise<number> {
  let nextName = 0;
  const startMs = performance.now();
  const loop = async (): Promise<void> => {
    let fromMs = performance.now();
    while (goesOn()) {
      const name = NAMES[nextName++ % NAME_COUNT] ?? "";
      await subject.cycle(name);
      const nowMs = performance.now();
      latencies.add(nowMs - fromMs);
      fromMs = nowMs;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return performance.now() - startMs;
}

function sampleOf(
  subject: Subject,
  nodeCount: number,
  latencies: Latencies,
  elapsedMs: number,
  clientCpuUs: number,
  before: NodeStats,
  after: NodeStats,
): Sample {
  const { count } = latencies;
  const [p50Ms = Number.NaN, p99Ms = Number.NaN] = latencies.quantiles(0.5, 0.99);
  return {
    cyclesPerSecond: (count * 1_000) / elapsedMs,
    p50Ms,
    p99Ms,
    clientCpuUs: clientCpuUs / count,
    serverCpuUs: (after.cpuUs - before.cpuUs) / count,
    sentPerNode: callsBetween(before, after, subject.sends) / count / nodeCount,
    executedPerNode: callsBetween(before, after) / count / nodeCount,
  };
}
