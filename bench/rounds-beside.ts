import { Redis } from "ioredis";
import type { RedisFleet } from "../src/testing/index.js";
import type { Progress } from "./progress.js";

/** What is measured round by round: in each all cases, one after the other. */
export interface Rounds<Case> {
  /** The first is the base of the others. */
  readonly cases: readonly Case[];
  readonly rounds: number;
  readonly nodeCount: number;
}

/**
 * Measures each case in each round, on empty nodes. Each sample has what was found of the first case in its round.
 *
 * @param nameOf what is shown while a case is measured
 * @param runOnce with the addresses of the nodes, and a connection to each for its statistics
 */
export async function runBesideBase<Case extends object, Found extends object>(
  { cases, rounds, nodeCount }: Rounds<Case>,
  fleet: RedisFleet,
  progress: Progress,
  nameOf: (one: Case) => string,
  runOnce: (one: Case, urls: readonly string[], readers: readonly Redis[]) => Promise<Found>,
): Promise<(Case & { readonly samples: (Found & { readonly base: Found })[] })[]> {
  const series = cases.map((one) => ({
    one,
    samples: [] as (Found & { readonly base: Found })[],
  }));
  const urls = fleet.urls.slice(0, nodeCount);
  const readers = urls.map((url) => new Redis(url));
  try {
    for (let round = 0; round < rounds; round++) {
      let base: Found | undefined;
      for (const { one, samples } of series) {
        progress.step(`${nameOf(one)}, round ${round + 1}/${rounds}`);
        await Promise.all(fleet.nodes.map((node) => node.flush()));
        const found = await runOnce(one, urls, readers);
        base ??= found;
        samples.push({ ...found, base });
      }
    }
  } finally {
    for (const reader of readers) reader.disconnect();
  }
  return series.map(({ one, samples }) => ({ ...one, samples }));
}
