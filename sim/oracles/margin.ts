import { placeOf, type History } from "./history.js";
import { NodeLists } from "./node-lists.js";
import { Preemptions } from "./preemptions.js";

/**
 * The smallest real time between the end of a hold, as predicted when it was proved, and the first instant at which
 * expiry alone would free a quorum of its own nodes, µs. Shows how near a run came to breaking S2; Infinity without a grant. A hold
 * preempted by another process has no margin.
 */
export function smallestMarginUs(history: History): number {
  const { settings, events } = history;
  const lists = new NodeLists(history);
  const keys = new Map<string, { holder: string | undefined; deadUs: number }>();
  const eligible = Array.from({ length: settings.nodeCount }, () => false);
  let smallestUs = Number.POSITIVE_INFINITY;
  const preemptions = new Preemptions();
  const preempted = new Set<string>();
  for (const event of events) {
    preemptions.see(event);
    const victim = preemptions.preemptedBy(event);
    if (victim !== undefined) preempted.add(victim);
    if (event.kind === "key") {
      // A key restored with an older state of its node has no owner: its node does not vote.
      const holder = event.op === "forget" ? undefined : event.after;
      keys.set(placeOf(event), { holder, deadUs: event.deadUs });
    } else if (event.kind === "eligible") {
      eligible[event.node] = event.isEligible;
    } else if (event.kind === "grant" || event.kind === "validity") {
      const { process, name, ownerId } = event;
      if (preempted.has(ownerId)) continue;
      const deaths = lists.of(process).map((node) => {
        const asReader = keys.get(`${node} ${name} ${ownerId}`);
        const key = asReader?.holder === undefined ? keys.get(`${node} ${name}`) : asReader;
        if (key?.holder === ownerId) return key.deadUs;
        // A node that lost its data, or is down, is not free either.
        return eligible[node] ? event.atUs : Number.POSITIVE_INFINITY;
      });
      const freeUs = deaths.toSorted((a, b) => a - b)[lists.quorumOf(process) - 1] ?? event.atUs;
      smallestUs = Math.min(smallestUs, freeUs - event.untilUs);
    }
  }
  return smallestUs;
}
