import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { Latencies } from "../numbers/latencies.js";
import { callsBetween, readStats, type NodeStats } from "../numbers/node-stats.js";
import type { Sample } from "./sample.js";
import type { Subject } from "../subjects/subject.js";
import { checkHonest } from "./honesty.js";

/** Names in use: each comes back long after its last release, and the nodes' memory is bounded. */
const NAME_COUNT = 1_000;
const NAMES = Array.from({ length: NAME_COUNT }, (_, index) => `bench:${index}`);

/** Longest time that replies behind the quorum take to come in, ms. */
const DRAIN_MS = 50;

export interface RunOptions {
  readonly inFlight: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** Acquire and release, on names that nobody else wants. */
export async function runUncontended(
  subject: Subject,
  nodes: readonly Redis[],
  { inFlight, warmUpMs, measureMs }: RunOptions,
): Promise<Sample> {
  await spin(subject, inFlight, warmUpMs, new Latencies());
  await sleep(DRAIN_MS);

  const latencies = new Latencies();
  const before = await readStats(nodes);
  const cpuBefore = process.cpuUsage();
  const elapsedMs = await spin(subject, inFlight, measureMs, latencies);
  await sleep(DRAIN_MS);
  const { user, system } = process.cpuUsage(cpuBefore);
  const after = await readStats(nodes);

  checkHonest(before, after, latencies.count, nodes.length);
  return sampleOf(subject, nodes.length, latencies, elapsedMs, user + system, before, after);
}

/** Keeps `inFlight` cycles under way for that long; returns how long it took, ms. */
async function spin(
  subject: Subject,
  inFlight: number,
  durationMs: number,
  latencies: Latencies,
): Promise<number> {
  let nextName = 0;
  const startMs = performance.now();
  const endMs = startMs + durationMs;
  const loop = async (): Promise<void> => {
    for (let fromMs = performance.now(); fromMs < endMs;) {
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
