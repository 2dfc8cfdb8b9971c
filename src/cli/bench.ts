import { randomBytes } from "node:crypto";
import { createHistogram, performance, type RecordableHistogram } from "node:perf_hooks";
import type { LockManager } from "../index.js";
import { defineCommand, duration, whole } from "./command.js";
import { checkingNodes, checkSettings, withConnection } from "./connect.js";
import { codeOf, EXIT } from "./exit-codes.js";
import { checkNodesSeen, NODES_CHANGED } from "./nodes-changed.js";
import { table, type Output } from "./output.js";
import { pause, untilSignal } from "./until-signal.js";

/** Statistics of one duration, ms. */
export interface Durations {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** What `quorate bench --json` prints. */
export interface BenchResult {
  readonly nodeCount: number;
  readonly concurrency: number;
  readonly durationMs: number;
  /** Acquire and release of a name without contention. */
  readonly cycles: {
    readonly count: number;
    readonly perSecond: number;
    readonly cycleMs: Durations;
    readonly acquireMs: Durations;
    readonly releaseMs: Durations;
  };
  /** Acquires that failed, by the code of their error. */
  readonly failures: Readonly<Record<string, number>>;
  /** One small command to all nodes until a quorum has answered: no lock can be faster. */
  readonly floor: {
    readonly command: string;
    readonly count: number;
    readonly perSecond: number;
    readonly roundMs: Durations;
  };
}

/** Share of the time that is spent on the baseline. */
const FLOOR_PART = 0.2;

/** Pause after a failure, so that retries do not become a storm, ms. */
const PAUSE_MS = 100;

export const bench = defineCommand({
  name: "bench",
  summary: "Measure locks on your own nodes",
  synopsis: "[OPTIONS]",
  words: { min: 0, max: 0, title: "no arguments" },
  options: {
    duration: duration(100, { help: "for how long [10s]" }),
    concurrency: whole(1, 10_000, { help: "locks taken concurrently [64]" }),
    "nodes-changed": NODES_CHANGED,
  },
  notes: `
Acquires and releases names that no other client uses (quorate:bench: plus a random suffix), as fast as
possible. Before that it measures the baseline: PING to all nodes until a quorum has answered, with the same
concurrency. An acquire and release take two round trips. This puts load on the nodes and on this machine.
Ctrl-C ends it early. Nothing is left behind. Exits 0, or 69 if no lock could be acquired.`,
  examples: [
    "quorate bench",
    "quorate bench --duration 30s --concurrency 1",
    "quorate bench --json | jq .cycles.perSecond",
  ],
  async run(call) {
    const { values, output } = call;
    const { duration: durationMs = 10_000, concurrency = 64 } = values;
    const checked = await checkSettings(call);
    const { Floor } = await import("./bench-floor.js");
    const { nodes } = checked;
    const floor = checkingNodes(checked, () => new Floor(nodes, checked.lease.nodeTimeoutMs));
    const measured = async (locks: LockManager): Promise<BenchResult> => {
      await locks.ready();
      await checkNodesSeen(locks, values["nodes-changed"], checked.lease.nodeTimeoutMs);
      const floorMs = durationMs * FLOOR_PART;
      await floor.open(locks.quorum.size);
      return await untilSignal(async (signal) => {
        output.detail(`the baseline, for ${Math.round(floorMs)} ms`);
        const rounds = await loops(concurrency, floorMs, signal, () => floor.round());
        output.detail(`locks, for ${Math.round(durationMs - floorMs)} ms`);
        const cycles = await measureLocks(locks, concurrency, durationMs - floorMs, signal);
        const { count, perSecond, tookMs } = rounds;
        return {
          nodeCount: nodes.length,
          concurrency,
          durationMs: Math.round(rounds.elapsedMs + cycles.elapsedMs),
          cycles: cycles.cycles,
          failures: cycles.failures,
          floor: { command: floor.command, count, perSecond, roundMs: durationsOf(tookMs) },
        };
      });
    };
    try {
      const result = await withConnection(checked, call, measured);
      if (output.isJson) output.json(result);
      else output.print(benchText(result, output));
      // Ctrl-C during the baseline: none was tried.
      const isUntried = Object.keys(result.failures).length === 0;
      return result.cycles.count > 0 || isUntried ? EXIT.ok : EXIT.unavailable;
    } finally {
      floor.close();
    }
  },
});

async function measureLocks(
  locks: LockManager,
  concurrency: number,
  forMs: number,
  signal: AbortSignal,
): Promise<Pick<BenchResult, "cycles" | "failures"> & { readonly elapsedMs: number }> {
  const prefix = `quorate:bench:${randomBytes(8).toString("hex")}`;
  const [acquires, releases] = [createHistogram(), createHistogram()];
  const failures: Record<string, number> = {};
  const { count, perSecond, elapsedMs, tookMs } = await loops(
    concurrency,
    forMs,
    signal,
    async (worker) => {
      const fromMs = performance.now();
      try {
        const lock = await locks.acquire(`${prefix}:${worker}`, { waitMs: 0 });
        const heldMs = performance.now();
        await lock.release();
        record(acquires, heldMs - fromMs);
        record(releases, performance.now() - heldMs);
        return true;
      } catch (error) {
        const code = codeOf(error);
        if (code === undefined) throw error;
        failures[code] = (failures[code] ?? 0) + 1;
        await pause(PAUSE_MS, signal);
        return false;
      }
    },
  );
  const cycleMs = durationsOf(tookMs);
  const [acquireMs, releaseMs] = [durationsOf(acquires), durationsOf(releases)];
  return { cycles: { count, perSecond, cycleMs, acquireMs, releaseMs }, failures, elapsedMs };
}

/**
 * Runs `once` repeatedly, `concurrency` times in parallel.
 *
 * @param once returns whether this run counts
 */
async function loops(
  concurrency: number,
  forMs: number,
  signal: AbortSignal,
  once: (worker: number) => Promise<boolean>,
): Promise<{ count: number; perSecond: number; elapsedMs: number; tookMs: RecordableHistogram }> {
  const tookMs = createHistogram();
  const beginMs = performance.now();
  const endMs = beginMs + forMs;
  const worker = async (_: unknown, index: number): Promise<void> => {
    while (performance.now() < endMs && !signal.aborted) {
      const fromMs = performance.now();
      if (await once(index)) record(tookMs, performance.now() - fromMs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const elapsedMs = performance.now() - beginMs;
  const { count } = tookMs;
  return { count, perSecond: Math.round((1_000 * count) / elapsedMs), elapsedMs, tookMs };
}

/** In whole microseconds; a histogram does not take 0. */
function record(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.max(1, Math.round(1_000 * ms)));
}

function durationsOf(histogram: RecordableHistogram): Durations {
  if (histogram.count === 0) return { p50: 0, p99: 0, max: 0 };
  const [p50, p99] = [histogram.percentile(50), histogram.percentile(99)];
  return { p50: p50 / 1_000, p99: p99 / 1_000, max: histogram.max / 1_000 };
}

function benchText(result: BenchResult, output: Output): string {
  const { nodeCount, concurrency, cycles, floor, failures } = result;
  const heading = ["", "PER SECOND", "P50", "P99", "MAX"].map((cell) => output.style("dim", cell));
  const row = (name: string, { p50, p99, max }: Durations, perSecond?: number): string[] => [
    ...[name, perSecond === undefined ? "" : String(perSecond)],
    ...[p50, p99, max].map((ms) => (max === 0 ? "-" : `${ms.toFixed(2)} ms`)),
  ];
  const rows = [
    heading,
    row("acquire and release", cycles.cycleMs, cycles.perSecond),
    row("  acquire", cycles.acquireMs),
    row("  release", cycles.releaseMs),
    row(`${floor.command}, a quorum's answers`, floor.roundMs, floor.perSecond),
  ];
  const failed = Object.entries(failures).map(
    ([code, count]) => `${count} acquires failed: ${code}`,
  );
  const title = `${nodeCount} nodes, ${concurrency} at a time`;
  return [title, "", table(rows), ...failed].join("\n");
}
