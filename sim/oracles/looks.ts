import { getOrAdd } from "./get-or-add.js";
import {
  majority,
  type History,
  type KeyEvent,
  type ReadinessEvent,
  type ReportEvent,
  type Violate,
} from "./history.js";
import { rootOf } from "./names.js";
import { NodeLists } from "./node-lists.js";

/** What clocks may differ by in rate, and by rounding, where a node says how long a key lives. */
const [RATE, ROUNDING_MS] = [1.01, 3];

/** An owner that had a key on a node. */
interface Stay {
  /** Infinity while it is stored there. */
  untilUs: number;
  deadUs: number;
}

/**
 * I1: a query reports what could be seen while it ran. Every holder that it reports on a node had a key there, for no
 * longer than reported; a node reported free was free; and `held` and `free` each take a quorum.
 */
export function checkReports({ settings, events }: History, violate: Violate): void {
  const quorum = majority(settings.nodeCount);
  const stays = new Map<string, Stay>();
  /** By node and name: the current owners, and since when there has been any. */
  const standing = new Map<string, { readonly who: Set<string>; sinceUs: number }>();
  const see = ({ node, name, before, after, atUs, deadUs }: KeyEvent): void => {
    const where = `${node} ${rootOf(name)}`;
    const here = getOrAdd(standing, where, () => ({ who: new Set(), sinceUs: atUs }));
    if (before !== undefined && before !== after) {
      here.who.delete(`${name} ${before}`);
      const stay = stays.get(`${node} ${name} ${before}`);
      if (stay !== undefined) stay.untilUs = atUs;
    }
    if (after === undefined) return;
    if (here.who.size === 0) here.sinceUs = atUs;
    here.who.add(`${name} ${after}`);
    stays.set(`${node} ${name} ${after}`, { untilUs: Number.POSITIVE_INFINITY, deadUs });
  };
  const judge = (report: ReportEvent): void => {
    const { name, state, holders, freeNodes, sinceUs, atUs, process } = report;
    const say = (what: string): void => {
      violate(atUs, `${process} was told that ${name} ${what}`);
    };
    for (const holder of holders) {
      const places = holder.nodes.map((node) =>
        stays.get(`${node} ${holder.name} ${holder.ownerId}`),
      );
      const [absent] = holder.nodes.filter((_, at) => (places[at]?.untilUs ?? 0) < sinceUs);
      const deaths = places.map((stay) => stay?.deadUs ?? 0).toSorted((a, b) => b - a);
      const lastUs = deaths[quorum - 1] ?? deaths[0] ?? 0;
      const mostMs = ((lastUs - sinceUs) / 1_000) * RATE + ROUNDING_MS;
      if (absent !== undefined) say(`is held by ${holder.ownerId} on node ${absent}`);
      else if (holder.remainingMs > mostMs) say(`is held for ${holder.remainingMs} ms more`);
    }
    const busy = freeNodes.filter((node) => {
      const here = standing.get(`${node} ${name}`);
      return here !== undefined && here.who.size > 0 && here.sinceUs < sinceUs;
    });
    if (busy.length > 0) say(`is free on nodes ${busy.join(", ")}`);
    const isAgreed = holders.some(({ nodes }) => nodes.length >= quorum);
    if (state === "held" && !isAgreed) say("is held, by nobody with a quorum");
    if (state === "free" && freeNodes.length < quorum) say("is free, by less than a quorum");
  };
  for (const event of events) {
    if (event.kind === "key") see(event);
    else if (event.kind === "report") judge(event);
  }
}

/**
 * I2: whoever is told that its lock manager is ready has a quorum of nodes that vote, as far as it knows; whoever
 * is told that it is not has none, and has waited for all the time it gave. Both know of each node. A node is called
 * ready that has voted, or might have: nobody need open it once the longest lease is over since the run began.
 */
export function checkReadiness(history: History, violate: Violate): void {
  const { settings, events } = history;
  const lists = new NodeLists(history);
  /** Nodes whose votes have counted. */
  const voters = new Set<number>();
  const breachOf = ({
    atUs,
    process,
    states,
    isReady,
    waitedMs,
    timeoutMs,
  }: ReadinessEvent): string | undefined => {
    const [list, quorum] = [lists.of(process), lists.quorumOf(process)];
    if (states.length !== list.length) return `told of ${states.length} nodes`;
    const early = states.findIndex((state, at) => state === "ready" && !voters.has(list[at] ?? -1));
    if (early !== -1 && atUs < settings.maxTtlMs * 1_000) {
      return `told that node ${early} is ready, which nobody has opened`;
    }
    const readyCount = states.filter((state) => state === "ready").length;
    if (isReady) return readyCount < quorum ? `ready with ${readyCount} nodes` : undefined;
    if (readyCount >= quorum) return `told that it is not ready, with ${readyCount} nodes`;
    return waitedMs < timeoutMs ? `told after ${waitedMs} ms that it is not ready` : undefined;
  };
  for (const event of events) {
    if (event.kind === "eligible" && event.isEligible) voters.add(event.node);
    if (event.kind !== "readiness") continue;
    const breach = breachOf(event);
    const { process, atUs } = event;
    if (breach !== undefined) violate(atUs, `${process} is ${breach}`);
  }
}
