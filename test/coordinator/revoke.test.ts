import { expect } from "chai";
import { inspect, revoke } from "../../src/coordinator/revoke.js";
import type { NameSnapshot, Vote } from "../../src/protocol/operation.js";
import { CoordinatorBench, heardInbox, KEYS, stateOf } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, free, granted, held } from "../support/votes.js";
import { sharedLock } from "../../src/kinds/shared.js";

const SETTINGS = { nodeTimeoutMs: 50, maxTtlMs: 10_000, driftFactor: 0.01, clockStepMs: 0 };
const OWNER = { ownerId: "o".padEnd(22, "_"), keys: KEYS };

const ended = (): Vote => ({ ...free(), reason: "ended" });
const seen = (more: Partial<NameSnapshot> = {}): Vote => {
  const nothing = { holder: undefined, remainingMs: 0, fence: undefined, waitingCount: 0 };
  return { kind: "granted", fence: 0, snapshot: { ...nothing, coHolders: [], ...more } };
};

describe("inspect", () => {
  it("waits for every node, also after a quorum", async () => {
    const bench = new CoordinatorBench();
    const looking = inspect(bench.context, KEYS, 50);
    bench.answer("inspect", [seen(), seen()]);
    expect(await stateOf(looking)).to.equal("pending");
    bench.answer("inspect", [undefined, undefined, fault("disconnected")]);
    expect((await looking).map(({ kind }) => kind)).to.deep.equal(["granted", "granted", "fault"]);
    bench.clock.advance(1_000);
  });

  it("and no longer than its deadline; a vote counts once", async () => {
    const bench = new CoordinatorBench();
    const looking = inspect(bench.context, KEYS, 50);
    bench.answer("inspect", [seen()]);
    bench.answer("inspect", [fault()]);
    bench.clock.advance(49);
    expect(await stateOf(looking)).to.equal("pending");
    bench.clock.advance(1);
    bench.answer("inspect", [undefined, seen()]);
    const votes = await looking;
    expect(votes.map((vote) => (vote.kind === "fault" ? vote.fault : vote.kind))).to.deep.equal([
      ...["granted", "timeout", "timeout"],
    ]);
    expect(bench.context.schedule.size).to.equal(0);
  });

  it("counts answers that came during a stall of the process, and waits no longer behind it", async () => {
    const bench = new CoordinatorBench();
    const looking = inspect(bench.context, KEYS, 50);
    bench.clock.stall(5_000);
    expect(await stateOf(looking)).to.equal("pending");
    bench.answer("inspect", [seen(), undefined, seen()]);
    bench.clock.advance(1);
    expect((await looking).map(({ kind }) => kind)).to.deep.equal(["granted", "fault", "granted"]);
    expect(bench.context.schedule.size).to.equal(0);
  });
});

describe("revoke", () => {
  it("marks first and releases behind it on every node, whoever is next in line", async () => {
    const bench = new CoordinatorBench();
    const ending = revoke(bench.context, KEYS, OWNER, 9, SETTINGS);
    for (const node of bench.nodes) {
      expect(node.kinds).to.deep.equal(["revoke", "release"]);
      // Longer than anybody can believe, by whatever clock.
      expect(node.last("revoke").operation).to.include({ ...OWNER_ONLY, ttlMs: 10_102 });
      expect(node.last("release").operation).to.include({ ...OWNER_ONLY, fence: 9 });
      expect(node.last("release").mayHold).to.equal(true);
    }
    bench.answer("revoke", [granted(), granted(), fault()]);
    bench.answer("release", [granted(), held(), free()]);
    // Without the mark a heal could come.
    expect((await ending).map(({ kind }) => kind)).to.deep.equal(["granted", "refused", "fault"]);
  });

  it("puts the next in line of this process into the queue, before the turn is given", () => {
    const inbox = heardInbox();
    const bench = new CoordinatorBench(3, new ManualClock(), inbox);
    bench.acquire({}, { waitMs: 1_000, fair: true });
    bench.answer("acquire", [held(), held(), held()]);
    void revoke(bench.context, KEYS, OWNER, 9, SETTINGS);
    for (const node of bench.nodes) {
      expect(node.last("release").operation.waiter).to.include({ inbox: inbox.id });
    }
  });

  it("of a reader takes out that reader, and lifts no counter where there is none", () => {
    const bench = new CoordinatorBench();
    void revoke(bench.context, KEYS, { ...OWNER, keys: sharedLock(KEYS) }, undefined, SETTINGS);
    const { operation } = bench.nodes[0]?.last("release") ?? {};
    expect(operation?.keys.id).to.equal("shared");
    expect(operation?.fence).to.equal(undefined);
    expect(bench.nodes[0]?.last("revoke").operation.keys.id).to.equal("exclusive");
  });

  it("a holder whose heal is refused for it gives up at once, on all nodes", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({ renew: false });
    const extending = lease.extend();
    bench.answer("extend", [granted(), granted(), free()]);
    expect((await extending).kind).to.equal("extended");
    bench.answer("heal", [undefined, undefined, ended()]);
    expect(lease.isHeld()).to.equal(false);
    expect(bench.lost).to.deep.equal(["taken"]);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("and one that was released meanwhile is not lost", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({ renew: false }, [granted(7), granted(7)]);
    bench.clock.advance(60);
    void lease.release();
    bench.answer("heal", [undefined, undefined, ended()]);
    expect(bench.lost).to.deep.equal([]);
  });
});

const OWNER_ONLY = { ownerId: OWNER.ownerId };
