import { expect } from "chai";
import { ORACLE_IDS } from "../../sim/oracles/history.js";
import { simulate } from "../../sim/simulate.js";
import { plainScenario, session } from "../support/sim/plain-scenario.js";
import { howMany } from "../support/long.js";

/** A mean of 2.5 ms a hop, 5 ms a round trip: the node deadline is twenty of them. */
const MEAN_DELAY_US = 2_500;
const TIMEOUT_MS = 100;

/** So many ask for one name at one moment, of so many nodes, and do not wait. Who got it. */
async function race(nodeCount: number, contenderCount: number, seed: number): Promise<string[]> {
  const clients = contenderCount;
  const workload = Array.from({ length: clients }, (_, client) =>
    session({ atMs: 300, client, holdMs: 200, writeCount: 0 }),
  );
  const plain = plainScenario({
    ...{ clients, nodeCount, workload, chaosMs: 600 },
    options: { nodeTimeoutMs: TIMEOUT_MS, ttlMs: 2_000, maxTtlMs: 2_000 },
  });
  const network = { ...plain.network, meanDelayUs: MEAN_DELAY_US };
  const { violations, history } = await simulate(
    { ...plain, seed, network },
    { oracles: ORACLE_IDS },
  );
  expect(violations, `${contenderCount} at ${nodeCount} nodes, seed ${seed}`).to.deep.equal([]);
  return history.events.flatMap((event) => (event.kind === "settle" ? [event.result] : []));
}

describe("Processes that ask for a name at one moment, without waiting", () => {
  for (const nodeCount of [1, 2, 3, 4, 5]) {
    for (const contenderCount of [2, 3, 8]) {
      const seedCount = howMany(12, 200);
      it(`L6: ${contenderCount} of ${nodeCount} nodes: one gets it, the others null, in all of ${seedCount} runs`, async () => {
        for (let seed = 1; seed <= seedCount; seed++) {
          const results = await race(nodeCount, contenderCount, seed);
          const why = `seed ${seed}: ${results.join()}`;
          expect(
            results.filter((result) => result === "granted"),
            why,
          ).to.have.length(1);
        }
      });
    }
  }

  for (const nodeCount of [1, 2, 3, 4, 5]) {
    const seedCount = howMany(6, 400);
    it(`L6: 32 of ${nodeCount} nodes: one gets it, in 98 of a hundred runs`, async () => {
      let wonCount = 0;
      for (let seed = 1; seed <= seedCount; seed++) {
        const results = await race(nodeCount, 32, seed);
        if (results.includes("granted")) wonCount++;
      }
      expect(wonCount).to.be.at.least(Math.floor(0.98 * seedCount));
    });
  }
});
