import { judge, type Verdict } from "../verdict.js";
import { faultCaseName } from "./fault.js";
import type { FaultSeries } from "./run.js";
import { bytesRatio, callsRatio, heapGrowthMb, p99Ratio, type FaultSample } from "./sample.js";

/** More than a collected heap varies by itself; a growing queue would pass it within a second. */
const FLAT_MB = 1;

export function faultVerdicts(series: readonly FaultSeries[]): Verdict[] {
  return series.flatMap(({ faultCase, samples }) => {
    const where = faultCaseName(faultCase);
    const figure = (of: (sample: FaultSample) => number): number[] => samples.map(of);
    const failed = figure(({ outage }) => outage.failedCount);
    return [
      ...judge(where, "acquire p99, outage / healthy", { atMost: 1.2 }, figure(p99Ratio)),
      ...judge(where, "failed acquires", { atMost: 0 }, failed),
      ...judge(where, "heap growth in outage, MB", { atMost: FLAT_MB }, figure(heapGrowthMb)),
      ...judge(where, "calls, second after / normal", { atMost: 1.5 }, figure(callsRatio)),
      ...judge(where, "bytes, second after / normal", { atMost: 1.5 }, figure(bytesRatio)),
    ];
  });
}
