import type { Redis } from "ioredis";

/** Activity of the nodes since they started, summed over all of them. */
export interface NodeStats {
  /** CPU time, user and system, microseconds. */
  readonly cpuUs: number;
  /** Calls by command, including those made by scripts. */
  readonly calls: ReadonlyMap<string, number>;
  /** Time by command, microseconds. That of a script includes the time of its commands. */
  readonly spentUs: ReadonlyMap<string, number>;
}

/** Reads the statistics over connections that belong to the bench. */
export async function readStats(nodes: readonly Redis[]): Promise<NodeStats> {
  // One section per call: older servers accept only one.
  const infos = await Promise.all(
    nodes.flatMap((node) => [node.info("cpu"), node.info("commandstats")]),
  );
  return parseStats(infos.join("\n"));
}

export function parseStats(info: string): NodeStats {
  let cpuUs = 0;
  const calls = new Map<string, number>();
  const spentUs = new Map<string, number>();
  for (const [, seconds] of info.matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)) {
    cpuUs += Number(seconds) * 1e6;
  }
  const statistics = info.matchAll(/^cmdstat_([^:]+):calls=(\d+)(?:,usec=(\d+))?/gm);
  for (const [, command = "", count, usec = 0] of statistics) {
    // Sent by the bench: the subjects send none of them while they are measured.
    if (command === "info") continue;
    calls.set(command, (calls.get(command) ?? 0) + Number(count));
    spentUs.set(command, (spentUs.get(command) ?? 0) + Number(usec));
  }
  return { cpuUs, calls, spentUs };
}

/** Calls of these commands (all commands if undefined) between two readings. */
export function callsBetween(
  before: NodeStats,
  after: NodeStats,
  commands: readonly string[] = [...after.calls.keys()],
): number {
  return commands.reduce(
    (sum, command) => sum + (after.calls.get(command) ?? 0) - (before.calls.get(command) ?? 0),
    0,
  );
}
