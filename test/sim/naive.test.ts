import { expect } from "chai";
import { naively, NAIVE_ORACLES } from "../../sim/naive/naively.js";
import type { HistoryEvent } from "../../sim/oracles/history.js";
import type { Fault, LockSettings, Session } from "../../sim/scenario.js";
import { simulate } from "../../sim/simulate.js";
import { plainScenario, session } from "../support/sim/plain-scenario.js";

async function run(given: {
  readonly workload: readonly Session[];
  readonly faults?: readonly Fault[];
  readonly options?: Partial<LockSettings>;
}) {
  const scenario = naively(plainScenario({ clients: 2, chaosMs: 1_500, ...given }));
  const { history, violations } = await simulate(scenario, { oracles: NAIVE_ORACLES });
  return { events: history.events, broken: violations.map(({ id }) => id) };
}

function only<Kind extends HistoryEvent["kind"]>(events: readonly HistoryEvent[], kind: Kind) {
  return events.filter((event): event is HistoryEvent & { kind: Kind } => event.kind === kind);
}

describe("the naive Redlock of the simulator", () => {
  it("gives a lock by a quorum, for its ttl less drift and the time that it took", async () => {
    const { events, broken } = await run({ workload: [session({ atMs: 100, client: 0 })] });
    const [grant] = only(events, "grant");
    const sentUs = only(events, "send").map(({ atUs }) => atUs);
    // Of 500 ms, 1 % and 2 ms; its clock shows whole ms.
    expect(grant?.untilUs).to.be.within(
      Math.min(...sentUs) + 492_000,
      Math.min(...sentUs) + 493_000,
    );
    expect(grant?.token).to.equal(undefined);
    expect(broken).to.deep.equal([]);
  });

  it("keeps others out until it is released, and they try again", async () => {
    const workload = [
      session({ atMs: 100, client: 0, holdMs: 300 }),
      session({ atMs: 150, client: 1, waitMs: 1_000 }),
    ];
    const { events, broken } = await run({ workload });
    const grants = only(events, "grant").map(({ process }) => process);
    expect(grants).to.deep.equal(["c0", "c1"]);
    expect(only(events, "send").filter(({ process }) => process === "c1").length).to.be.above(6);
    expect(broken).to.deep.equal([]);
  });

  it("deletes its own key only", async () => {
    const workload = [
      session({ atMs: 100, client: 0, holdMs: 200, release: "late" }),
      session({ atMs: 700, client: 1, holdMs: 400 }),
    ];
    // It wakes up, and releases, when another has the lock.
    const faults: Fault[] = [{ kind: "pause", atMs: 250, client: 0, forMs: 550 }];
    const { events } = await run({ workload, faults });
    const gone = only(events, "key").filter(({ after }) => after === undefined);
    expect(gone.filter(({ before, by }) => by !== undefined && by !== before)).to.deep.equal([]);
    expect(gone.filter(({ op }) => op === "foreign")).to.have.lengthOf(3);
  });

  it("takes nothing where the replies come too late", async () => {
    const workload = [session({ atMs: 100, client: 0 })];
    const faults: Fault[] = [{ kind: "pause", atMs: 100.05, client: 0, forMs: 800 }];
    // It would wait for longer than the lease, so that it is not this deadline that saves it.
    const options = { nodeTimeoutMs: 2_000 };
    const { events } = await run({ workload, faults, options });
    expect(only(events, "grant")).to.deep.equal([]);
    expect(only(events, "vote").some(({ vote }) => vote === "granted")).to.equal(true);
  });

  it("is fooled by its wall clock, which the oracles see", async () => {
    const workload = [
      session({ atMs: 100, client: 0, holdMs: 800 }),
      session({ atMs: 700, client: 1 }),
    ];
    const faults: Fault[] = [{ kind: "wallJump", atMs: 200, client: 0, byMs: -1_000 }];
    const { broken } = await run({ workload, faults });
    expect(broken).to.include("S1");
  });

  it("counts the vote of a node that has forgotten, which the oracles see", async () => {
    const workload = [
      session({ atMs: 100, client: 0, holdMs: 300 }),
      session({ atMs: 250, client: 1 }),
    ];
    const faults: Fault[] = [0, 1].map((node) => ({ kind: "forget", atMs: 200, node }));
    const { broken } = await run({ workload, faults });
    expect(broken).to.include("S1");
  });

  it("ends with its process", async () => {
    const workload = [session({ atMs: 100, client: 0, holdMs: 400 })];
    const faults: Fault[] = [{ kind: "kill", atMs: 250, client: 0, forMs: 100 }];
    const { events } = await run({ workload, faults });
    expect(only(events, "end").map(({ why }) => why)).to.deep.equal(["crashed"]);
    const starts = only(events, "process").filter(({ what }) => what === "start");
    expect(starts.map(({ process }) => process)).to.deep.equal(["c0", "c1", "c0+1"]);
  });
});
