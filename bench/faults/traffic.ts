import { callsBetween, parseStats, type NodeStats } from "../numbers/node-stats.js";
import type { StruckNode } from "./fault.js";
import type { Traffic } from "./sample.js";

/** What struck nodes said at an instant of the bench's clock. */
export interface StruckStats {
  readonly atMs: number;
  readonly byNode: readonly NodeStats[];
}

export async function readStruck(struck: readonly StruckNode[]): Promise<StruckStats> {
  const infos = await Promise.all(struck.map(({ node }) => node.command("INFO", "commandstats")));
  return { atMs: performance.now(), byNode: infos.map((info) => parseStats(String(info))) };
}

/** The largest of the nodes counts. One that was started again has counted from nothing. */
export function trafficBetween(before: StruckStats, after: StruckStats): Traffic {
  const perSecond = 1_000 / (after.atMs - before.atMs);
  const largest = (commands?: readonly string[]): number =>
    Math.max(
      ...after.byNode.map((stats, index) => {
        const calls = callsBetween(before.byNode[index] ?? NOTHING, stats, commands);
        return calls >= 0 ? calls : callsBetween(NOTHING, stats, commands);
      }),
    );
  return { calls: largest(["eval", "evalsha"]) * perSecond, executed: largest() * perSecond };
}

const NOTHING = parseStats("");
