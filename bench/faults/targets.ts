import { judge, judgeNever, type Verdict } from "../verdict.js";
import { faultCaseName } from "./fault.js";
import type { FaultSeries } from "./run.js";
import { bytesRatio, callsRatio, heapGrowthMb, p99Ratio, type FaultSample } from "./sample.js";

/** More than a collected heap varies by itself; a growing queue would exceed it within a second. */
const FLAT_MB = 1;

/**
 * Latencies of every case once the process has seen an outage; for everything else, the worst case of each round. An
 * outage must not make acquires fail, nor let anything accumulate in the client or for the node.
 */
export function faultVerdicts(series: readonly FaultSeries[]): Verdict[] {
  const seconds = series.filter(({ outage }) => outage === "second");
  const latencies = seconds.flatMap(({ faultCase, samples }) =>
    judge(
      `${faultCaseName(faultCase)} of 5, second outage of a process`,
      "acquire p99, outage / healthy",
      { atMost: 1.2 },
      samples.map(p99Ratio),
    ),
  );
  const worst = (of: (sample: FaultSample) => number): number[] =>
    (series[0]?.samples ?? []).map((_, round) =>
      Math.max(...series.flatMap(({ samples }) => samples.slice(round, round + 1).map(of))),
    );
  const where = "all faults, worst case";
  const failed = series.flatMap(({ samples }) => samples.map(({ outage }) => outage.failedCount));
  return [
    ...latencies,
    ...judgeNever("all faults", "failed acquires", failed),
    ...judge(where, "heap growth in the outage, MB", { atMost: FLAT_MB }, worst(heapGrowthMb)),
    ...judge(where, "calls after recovery / normal", { atMost: 1.5 }, worst(callsRatio)),
    ...judge(where, "bytes after recovery / normal", { atMost: 1.5 }, worst(bytesRatio)),
  ];
}
