import { callsBetween, parseStats, type NodeStats } from "../numbers/node-stats.js";
import type { StruckNode } from "./fault.js";
import type { Traffic } from "./sample.js";

/** Statistics of the affected nodes at an instant of the bench's clock. */
export interface StruckStats {
  readonly atMs: number;
  readonly byNode: readonly Counters[];
}

/** Since the node's start. */
interface Counters {
  readonly stats: NodeStats;
  readonly bytes: number;
}

export async function readStruck(struck: readonly StruckNode[]): Promise<StruckStats> {
  const infos = await Promise.all(struck.map(({ node }) => node.command("INFO", "all")));
  return { atMs: performance.now(), byNode: infos.map((info) => countersOf(String(info))) };
}

function countersOf(info: string): Counters {
  const [, bytes] = /^total_net_input_bytes:(\d+)/m.exec(info) ?? [];
  return { stats: parseStats(info), bytes: Number(bytes) };
}

/** The maximum over the nodes. A restarted node has counted from zero. */
export function trafficBetween(before: StruckStats, after: StruckStats): Traffic {
  const seconds = (after.atMs - before.atMs) / 1_000;
  const traffic = after.byNode.map((now, index): Traffic => {
    const then = before.byNode[index];
    const isSame = then !== undefined && now.bytes >= then.bytes;
    const from = isSame ? then : { stats: parseStats(""), bytes: 0 };
    return {
      calls: callsBetween(from.stats, now.stats, ["eval", "evalsha"]) / seconds,
      bytes: (now.bytes - from.bytes) / seconds,
    };
  });
  return {
    calls: Math.max(...traffic.map(({ calls }) => calls)),
    bytes: Math.max(...traffic.map(({ bytes }) => bytes)),
  };
}
