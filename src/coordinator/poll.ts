import { silentVote, type Operation, type Vote } from "../protocol/operation.js";
import type { Context } from "./context.js";
import type { VoteReceiver } from "./ports.js";
import type { Sleeper } from "./schedule.js";

/**
 * Asks all nodes and waits for every answer until the deadline: there is nothing to decide, and the caller wants each
 * node's answer. Votes are by node index. Answers that arrived while this process was stalled still count.
 *
 * @param mayHold bit mask by node index, see `NodePort.submit`; releases only
 */
export function poll(
  { nodes, clock, schedule }: Context,
  operation: Operation,
  mayHold: number,
  timeoutMs: number,
): Promise<readonly Vote[]> {
  return new Promise((resolve) => {
    const votes: (Vote | undefined)[] = nodes.map(() => undefined);
    let left = nodes.length;
    const end = (): void => {
      left = 0;
      schedule.remove(sleeper);
      const silent = silentVote(timeoutMs);
      resolve(votes.map((vote) => vote ?? silent));
    };
    const sleeper: Sleeper = { wakeAtMs: 0, heapIndex: -1, graceMs: 1, wake: end };
    const receiver: VoteReceiver = {
      onVote: (index, vote) => {
        if (left === 0 || votes[index] !== undefined) return;
        votes[index] = vote;
        if (--left === 0) end();
      },
    };
    schedule.set(sleeper, clock.now() + timeoutMs);
    nodes.forEach((node, index) => {
      node.submit(operation, receiver, (mayHold & (1 << index)) !== 0);
    });
  });
}
