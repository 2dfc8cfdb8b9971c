import { bestOf, BEST_PEERS, ratios } from "../uncontended/targets.js";
import { judge, type Verdict } from "../verdict.js";
import { isJittery, LOCAL, nominalBound, type Network } from "./network.js";
import type { WideSeries } from "./run.js";
import type { WideSample } from "./sample.js";

/** Round-trip time from which on the library's own time hardly counts, ms. */
const FAR_MS = 5;

export function wideVerdicts(series: readonly WideSeries[]): Verdict[] {
  const figures = (network: Network, name: string, of: (sample: WideSample) => number): number[] =>
    series
      .find((one) => one.subjectName === name && one.network.name === network.name)
      ?.samples.map(of) ?? [];
  const networks = series
    .filter(({ subjectName, network }) => subjectName === "quorate" && network.lines !== undefined)
    .map(({ network }) => network);
  const ours = (network: Network, of: (sample: WideSample) => number): number[] =>
    figures(network, "quorate", of);

  const p50Verdicts = (network: Network): Verdict[] => {
    const acquires = ours(network, (sample) => sample.acquireP50Ms);
    const bounds = ours(network, (sample) => sample.boundMs);
    const where = `nodes at ${network.name}`;
    if (nominalBound(network) >= FAR_MS) {
      return judge(where, "acquire p50 / bound", { atMost: 1.1 }, ratios(acquires, bounds));
    }
    const locals = ours(LOCAL, (sample) => sample.acquireP50Ms);
    const sums = bounds.map((boundMs, round) => boundMs + (locals[round] ?? Number.NaN));
    const figure = "acquire p50 / (bound + acquire on this machine)";
    return judge(where, figure, { atMost: 1 }, ratios(acquires, sums));
  };

  const p99Verdicts = (network: Network): Verdict[] => {
    const p99 = (name: string): number[] => figures(network, name, (sample) => sample.acquireP99Ms);
    const best = bestOf(BEST_PEERS.map(p99), Math.min);
    const where = `nodes at ${network.name}`;
    return judge(where, "acquire p99 / best peer", { atMost: 1 }, ratios(p99("quorate"), best));
  };

  return [...networks.flatMap(p50Verdicts), ...networks.filter(isJittery).flatMap(p99Verdicts)];
}
