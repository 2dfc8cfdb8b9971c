import { getOrAdd } from "./get-or-add.js";
import type { History, Violate } from "./history.js";

/**
 * S5: one vote a node a round, one attempt an ownerId. An attempt may have further rounds, of nodes that have refused
 * it: their refusals no longer count.
 */
export function checkVotes({ events }: History, violate: Violate): void {
  const answered = new Set<string>();
  /** By ownerId: the round in which each node was asked last; undefined if it has refused there. */
  const attempts = new Map<string, Map<number, number | undefined>>();
  for (const event of events) {
    const { atUs } = event;
    if (event.kind === "vote") {
      // Seals and heals are one message to one node each; their rounds differ by node already.
      const vote = `${event.round} ${event.node}`;
      if (answered.has(vote)) {
        const message = `node ${event.node} voted twice in round ${event.round} of ${event.ownerId}`;
        violate(atUs, message);
      }
      // A release that failed is sent again, and may then be answered.
      if (event.op !== "release" || event.vote !== "fault") answered.add(vote);
      const asked = attempts.get(event.ownerId);
      const isOfAttempt = event.op === "acquire" && asked?.get(event.node) === event.round;
      if (isOfAttempt && event.vote === "refused") asked?.set(event.node, undefined);
    } else if (event.kind === "send" && event.op === "acquire") {
      const { ownerId, node, round } = event;
      const asked = getOrAdd(attempts, ownerId, () => new Map());
      if (asked.has(node) && asked.get(node) !== undefined) {
        violate(atUs, `${ownerId} is used by a second attempt`);
      }
      asked.set(node, round);
    }
  }
}
