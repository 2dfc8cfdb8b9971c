import { expect } from "chai";
import * as fc from "fast-check";
import { exhaustiveChoices } from "../../sim/choices.js";
import { simulate } from "../../sim/simulate.js";
import { traceOf } from "../../sim/trace.js";
import { scenario } from "../support/sim/arbitraries.js";
import { plainScenario, session } from "../support/sim/plain-scenario.js";

describe("any scenario inside the model", () => {
  it("keeps every promise, and shrinks if one does not", async function () {
    this.timeout(240_000);
    await fc.assert(
      fc.asyncProperty(scenario(2, 3, 3, 4, 5), async (made) => {
        const { violations } = await simulate(made);
        expect(violations.map(({ id, message }) => `${id}: ${message}`)).to.deep.equal([]);
      }),
      { numRuns: 80 },
    );
  });
});

/** Two who want the same name at the same time from three nodes, and nothing else. */
const DUEL = plainScenario({
  clients: 2,
  // The slowest of all orders leaves time to open a new deployment.
  options: { ttlMs: 4_000, maxTtlMs: 4_000 },
  workload: [session({ atMs: 3_000, client: 0 }), session({ atMs: 3_000, client: 1 })],
  chaosMs: 3_200,
});

describe("two clients that meet on three nodes", () => {
  it("keep every promise in every order in which their acquires can arrive", async function () {
    this.timeout(240_000);
    // Message 6 of each link carries the acquire: a new deployment was opened, and put on record, before.
    const choices = exhaustiveChoices(2, (name) => name.endsWith(" toNode 6 delay"));
    const orders = new Set<string>();
    let runCount = 0;
    do {
      const { violations, history } = await simulate(DUEL, { choices });
      expect(violations, traceOf(history.events)).to.deep.equal([]);
      const order = history.events.flatMap((event) =>
        event.kind === "key" && event.op === "acquire" ? [`${event.node} ${event.after}`] : [],
      );
      orders.add(order.join());
      runCount++;
    } while (choices.next());
    expect(runCount).to.equal(2 ** 6);
    expect(orders.size, "orders that differ").to.be.above(10);
  });
});
