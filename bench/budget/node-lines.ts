import type { NodeStats } from "../numbers/node-stats.js";

export const NETWORK = "network, parsing, replies";
export const LUA = "scripts, without their commands";

const SCRIPTS = ["eval", "evalsha"];

/**
 * Where the nodes' CPU time between two readings went, microseconds per cycle, all nodes together: one line per
 * command, one for scripts without the commands they call, and one for the rest, which Redis spends around commands.
 *
 * @param sends the commands that the client sends; scripts call all others
 */
export function nodeLines(
  before: NodeStats,
  after: NodeStats,
  sends: readonly string[],
  cycleCount: number,
): Map<string, number> {
  const spent = new Map<string, number>();
  for (const [name, us] of after.spentUs) {
    const more = us - (before.spentUs.get(name) ?? 0);
    if (more > 0) spent.set(name, more);
  }
  const sum = (isCounted: (name: string) => boolean): number =>
    [...spent].reduce((total, [name, us]) => (isCounted(name) ? total + us : total), 0);
  const isScript = (name: string): boolean => SCRIPTS.includes(name);
  const isSent = (name: string): boolean => sends.includes(name);
  const commands = [...spent].filter(([name]) => !isScript(name));
  const lines = new Map([
    [NETWORK, after.cpuUs - before.cpuUs - sum(isSent)],
    [LUA, sum(isScript) - sum((name) => !isSent(name))],
    ...commands.map(([name, us]): [string, number] => [name.toUpperCase(), us]),
  ]);
  return new Map([...lines].map(([line, us]) => [line, us / cycleCount]));
}
