import type { History, Violate } from "./history.js";

/** S5: one vote a node a round, one attempt an ownerId. */
export function checkVotes({ events }: History, violate: Violate): void {
  const answered = new Set<string>();
  const attempts = new Map<string, number>();
  for (const event of events) {
    const { atUs } = event;
    if (event.kind === "vote") {
      // Seals and heals are one message to one node each; their rounds differ by node already.
      const vote = `${event.round} ${event.node}`;
      if (answered.has(vote)) {
        const message = `node ${event.node} voted twice in round ${event.round} of ${event.ownerId}`;
        violate(atUs, message);
      }
      answered.add(vote);
    } else if (event.kind === "send" && event.op === "acquire") {
      const round = attempts.get(event.ownerId);
      if (round !== undefined && round !== event.round) {
        const message = `${event.ownerId} is used by a second attempt`;
        violate(atUs, message);
      }
      attempts.set(event.ownerId, event.round);
    }
  }
}
