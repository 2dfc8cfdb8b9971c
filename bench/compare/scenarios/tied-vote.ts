import { settleWithin } from "../observe/settle.js";
import { LOCK_NAME, Stage } from "../observe/stage.js";
import { attemptFacts, attemptWords } from "./attempt-words.js";
import { SETTLE_LIMIT_MS, type Scenario } from "./scenario.js";

/** Half of the nodes vote yes, half vote no: nobody can win such a vote. */
export function tiedVote(nodeCount: number): Scenario {
  const heldCount = nodeCount / 2;
  return {
    id: `tie-${nodeCount}`,
    title: `Tied vote: ${heldCount} of ${nodeCount} nodes hold another's key`,
    setUp: `${nodeCount} nodes, the key is set by another client on ${heldCount} of them. One attempt.`,
    good: "refused within milliseconds",
    note: "The READMEs of redlock and @sesamecare-oss/redlock recommend an odd number of servers. Quorate warns about an even number.",
    ttlMs: 10_000,
    limitMs: () => SETTLE_LIMIT_MS,
    run: async (subject, ttlMs, options) => {
      const stage = await Stage.open(subject, options, nodeCount);
      for (const node of stage.nodes.slice(0, heldCount)) {
        await node.command("SET", stage.keyOf(), "another", "PX", 300_000);
      }
      const attempt = await settleWithin(
        () => stage.client.tryAcquire(LOCK_NAME, ttlMs),
        SETTLE_LIMIT_MS,
      );
      return { cell: attemptWords(attempt), facts: attemptFacts(attempt) };
    },
  };
}
