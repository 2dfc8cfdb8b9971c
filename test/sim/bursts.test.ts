import { expect } from "chai";
import { ORACLE_IDS, type HistoryEvent } from "../../sim/oracles/history.js";
import { WINDOW_BOUNDS } from "../../src/coordinator/admission.js";
import type { Scenario, Session } from "../../sim/scenario.js";
import { simulate } from "../../sim/simulate.js";
import { plainScenario, session } from "../support/sim/plain-scenario.js";

const ATTEMPTS = 2 * WINDOW_BOUNDS.max;

/** One process wants many names that are free, all in one instant. */
function burst(count: number, given: Partial<Session> = {}): Session[] {
  return Array.from({ length: count }, (_, index) =>
    session({ atMs: 1_000, client: 0, name: `n${index}`, waitMs: 3_000, holdMs: 1, ...given }),
  );
}

async function run(scenario: Scenario) {
  const { history, violations } = await simulate(scenario, { oracles: ORACLE_IDS });
  expect(violations).to.deep.equal([]);
  const { events } = history;
  const calls = new Set(
    events.flatMap((event) =>
      event.kind === "call" && event.what === "acquire" ? event.call : [],
    ),
  );
  const results = events.flatMap((event) =>
    event.kind === "settle" && calls.has(event.call) ? event.result : [],
  );
  return { events, results };
}

/** The most attempts that were under way at once: from the first send to the grant or the rollback. */
function mostUnderWay(events: readonly HistoryEvent[]): number {
  const underWay = new Set<string>();
  const seen = new Set<string>();
  let most = 0;
  for (const event of events) {
    if (event.kind === "send" && event.op === "acquire" && !seen.has(event.ownerId)) {
      seen.add(event.ownerId);
      most = Math.max(most, underWay.add(event.ownerId).size);
    } else if (event.kind === "grant" || (event.kind === "send" && event.op === "release")) {
      underWay.delete(event.ownerId);
    }
  }
  return most;
}

describe("a burst of acquires in one process", () => {
  const options = { ttlMs: 3_000, maxTtlMs: 3_000 };

  it("is granted as the nodes answer, with no more attempts under way than there is room for", async () => {
    const workload = burst(ATTEMPTS);
    const { events, results } = await run(plainScenario({ clients: 1, options, workload }));
    expect(results).to.deep.equal(workload.map(() => "granted"));
    expect(mostUnderWay(events)).to.be.within(WINDOW_BOUNDS.start, WINDOW_BOUNDS.max);
  });

  it("makes the one attempt of every call that does not wait", async () => {
    const workload = burst(60, { waitMs: 0 });
    const narrow = { ...options, window: 2 };
    const { events, results } = await run(plainScenario({ clients: 1, options: narrow, workload }));
    expect(results).to.deep.equal(workload.map(() => "granted"));
    expect(mostUnderWay(events)).to.be.within(2, 3);
  });

  it("asks nobody for those whose time is over before, and says so", async () => {
    const workload = burst(60, { waitMs: 100 });
    const narrow = { ...options, window: 2 };
    const { events, results } = await run(plainScenario({ clients: 1, options: narrow, workload }));
    const grantedCount = results.filter((result) => result === "granted").length;
    expect(grantedCount).to.be.within(2, 58);
    expect(results.filter((result) => result === "queued")).to.have.length(60 - grantedCount);
    const asked = events.flatMap((event) =>
      event.kind === "send" && event.op === "acquire" ? event.name : [],
    );
    expect(new Set(asked).size).to.equal(grantedCount);
  });

  it("waits out an outage without a storm, and is granted after it", async () => {
    const workload = burst(ATTEMPTS, { waitMs: 20_000 });
    const faults = [0, 1].map((node) => {
      return { kind: "freeze" as const, atMs: 900, node, forMs: 5_000 };
    });
    const scenario = plainScenario({ clients: 1, options, workload, faults, chaosMs: 7_000 });
    const { events, results } = await run(scenario);
    expect(results).to.deep.equal(workload.map(() => "granted"));
    const inOutage = events.filter(
      (event) =>
        event.kind === "send" &&
        event.op === "acquire" &&
        event.node === 2 &&
        event.atUs > 2_000_000 &&
        event.atUs < 5_900_000,
    );
    expect(inOutage.length).to.be.within(100, 2_000);
  });
});
