import { expect } from "chai";
import { FENCE_STEP } from "../../src/protocol/fencing.js";
import { CoordinatorBench, KEYS } from "../support/coordinator-bench.js";
import { at } from "../support/nodes.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

describe("Attempt", () => {
  it("asks all nodes with a fresh ownerId every time, and the caller's label behind it", () => {
    const bench = new CoordinatorBench();
    for (const label of ["", "host:1", "host:1"]) bench.attempt({ label });
    const ids = bench.nodes[0]?.all("acquire").map(({ operation }) => operation.ownerId) ?? [];
    expect(new Set(ids).size).to.equal(3);
    expect(ids[0]).to.match(/^[\w-]{22}$/);
    expect(ids[1]).to.match(/^[\w-]{22}:host:1$/);
    for (const node of bench.nodes) {
      expect(node.all("acquire").map(({ operation }) => operation.ownerId)).to.deep.equal(ids);
    }
  });

  it("asks for the whole ttl, not to be sent behind the node deadline", () => {
    const bench = new CoordinatorBench();
    bench.attempt();
    expect(bench.nodes[0]?.last("acquire").operation).to.include({
      kind: "acquire",
      keys: KEYS,
      ttlMs: 1_000,
      sendBeforeMs: bench.clock.now() + 50,
    });
  });

  it("proposes the time of day, the same within a turn and growing within a tick", () => {
    const bench = new CoordinatorBench();
    for (let times = 0; times < 4; times++) {
      bench.enter();
      if (times % 2 === 1) bench.clock.flush();
    }
    const first = bench.clock.wallUs();
    expect(bench.nodes[0]?.all("acquire").map(({ operation }) => operation.fence)).to.deep.equal([
      ...[first, first],
      ...[first + FENCE_STEP, first + FENCE_STEP],
    ]);
  });

  it("is granted in one round trip when a quorum agrees on the fence", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({}, [granted(7), undefined, granted(7)]);
    expect(lease.fencingToken).to.equal(7);
    expect(bench.counts("seal")).to.deep.equal([0, 0, 0]);
  });

  it("is granted only when a quorum is sealed", () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.attempt();
    bench.answer("acquire", [granted(7), granted(9)]);
    expect(outcomes).to.deep.equal([]);
    expect(bench.nodes[0]?.last("seal").operation).to.include({ fence: 9 });
    bench.answer("seal", [granted(9)]);
    expect(outcomes[0]).to.have.nested.property("lease.fencingToken", 9);
  });

  it("sends no proposal and seals nothing without fencing", () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.attempt({ fencing: false });
    expect(bench.nodes[0]?.last("acquire").operation.fence).to.equal(undefined);
    bench.answer("acquire", [granted(), granted()]);
    expect(outcomes[0]).to.have.nested.property("lease.fencingToken", undefined);
    expect(bench.counts("seal")).to.deep.equal([0, 0, 0]);
  });

  it("counts validity from before the first send", () => {
    const bench = new CoordinatorBench();
    const startMs = bench.clock.now();
    const { outcomes } = bench.attempt();
    bench.clock.advance(40);
    bench.answer("acquire", [granted(7), granted(7)]);
    expect(outcomes[0]).to.have.nested.property("lease.validUntilMs", startMs + 988);
  });

  it("is exhausted, and rolled back, when too little validity is left at the grant", () => {
    for (const { stallMs, minHoldMs, kind } of [
      // The loss of what is valid for 5 ms would be told at once.
      { stallMs: 982, minHoldMs: 0, kind: "granted" },
      { stallMs: 983, minHoldMs: 0, kind: "exhausted" },
      { stallMs: 487, minHoldMs: 500, kind: "granted" },
      { stallMs: 488, minHoldMs: 500, kind: "exhausted" },
      { stallMs: 60_000, minHoldMs: 0, kind: "exhausted" },
    ]) {
      const bench = new CoordinatorBench();
      const { outcomes } = bench.attempt({ minHoldMs });
      bench.clock.stall(stallMs);
      bench.answer("acquire", [granted(7), granted(7)]);
      expect(
        outcomes.map((outcome) => outcome.kind),
        `${stallMs} ms`,
      ).to.deep.equal([kind]);
      const rollbacks = kind === "granted" ? 0 : 1;
      expect(bench.counts("release")).to.deep.equal([rollbacks, rollbacks, rollbacks]);
    }
  });

  it("is exhausted when the machine slept between grant and continuation", () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.attempt();
    bench.clock.suspend(5_000);
    bench.answer("acquire", [granted(7), granted(7)]);
    expect(outcomes[0]).to.include({ kind: "exhausted", quorumFreeInMs: 0 });
  });

  for (const { suspendMs, kind } of [
    { suspendMs: 10, kind: "refused" },
    { suspendMs: 5_000, kind: "exhausted" },
  ]) {
    it(`is ${kind} when its key was another's ${suspendMs} ms after the grant, before its token was stored`, () => {
      const bench = new CoordinatorBench();
      const { outcomes } = bench.attempt();
      bench.answer("acquire", [granted(7), granted(9), held(300)]);
      bench.clock.suspend(suspendMs);
      bench.nodes[0]?.last("seal").reply(held(300));
      expect(outcomes[0]).to.include({ kind });
      expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
    });
  }

  for (const { title, others, kind, isOutrun } of [
    { title: "fences", others: [held(0), granted(12)], kind: "exhausted", isOutrun: true },
    {
      title: "a lost key and a fence",
      others: [free(), granted(12)],
      kind: "exhausted",
      isOutrun: true,
    },
    {
      title: "a holder and a fence",
      others: [held(300), granted(12)],
      kind: "exhausted",
      isOutrun: true,
    },
    {
      title: "a fault and a fence",
      others: [held(0), fault()],
      kind: "unreachable",
      isOutrun: true,
    },
    { title: "two faults", others: [fault(), fault()], kind: "unreachable", isOutrun: false },
    { title: "holders", others: [held(300), held(300)], kind: "refused", isOutrun: false },
  ]) {
    it(`is ${kind}${isOutrun ? ", outrun," : ""} where ${title} kept its token from being stored`, () => {
      const bench = new CoordinatorBench();
      const { outcomes } = bench.attempt();
      bench.answer("acquire", [granted(7), granted(9)]);
      bench.nodes[0]?.last("seal").reply(at(others, 0));
      bench.nodes[2]?.last("acquire").reply(at(others, 1));
      expect(outcomes[0]).to.include({ kind, isOutrun });
      expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
    });
  }

  for (const { title, votes, kind } of [
    { title: "refusals made a quorum impossible", votes: [held(300), held(400)], kind: "refused" },
    { title: "faults did", votes: [fault(), fault()], kind: "unreachable" },
    {
      title: "a refusal and two faults did together",
      votes: [held(), fault(), fault()],
      kind: "unreachable",
    },
    {
      title: "a fault came first, but refusals alone suffice",
      votes: [fault(), held(300), held(400)],
      kind: "refused",
    },
    { title: "the key is somebody's data", votes: [foreign(), foreign()], kind: "refused" },
  ]) {
    it(`is ${kind} where ${title}`, () => {
      const bench = new CoordinatorBench();
      const { outcomes } = bench.attempt();
      bench.answer("acquire", votes);
      expect(outcomes).to.have.length(1);
      expect(outcomes[0]).to.include({ kind });
    });
  }

  it("tells when a quorum can be free by expiry", () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.attempt();
    bench.answer("acquire", [held(400), granted(7), held(300)]);
    expect(outcomes[0]).to.include({ kind: "refused", quorumFreeInMs: 300 });
  });

  it("is rolled back on all nodes that have not refused, behind the acquire, under its own ownerId", () => {
    const bench = new CoordinatorBench(5);
    bench.attempt();
    bench.answer("acquire", [granted(7), held(), fault(), held()]);
    expect(bench.counts("release")).to.deep.equal([1, 0, 1, 0, 1]);
    for (const node of bench.nodes.filter((_, index) => index % 2 === 0)) {
      expect(node.kinds).to.deep.equal(["acquire", "release"]);
      const { operation } = node.last("release");
      expect(operation.ownerId).to.equal(node.last("acquire").operation.ownerId);
      expect(operation.sendBeforeMs).to.equal(Infinity);
    }
  });

  it("owes the rollback to every node that may hold a key: all but refusals and what was never sent", () => {
    const bench = new CoordinatorBench(7);
    bench.attempt();
    bench.answer("acquire", [
      granted(7),
      held(),
      fault("disconnected", false),
      fault("timeout", true),
      undefined,
      held(),
    ]);
    expect(bench.nodes.map((node) => node.all("release")[0]?.mayHold)).to.deep.equal([
      true,
      undefined,
      false,
      true,
      true,
      undefined,
      true,
    ]);
  });

  it("keeps a rollback for as long as its key can live on a slower clock", () => {
    const bench = new CoordinatorBench();
    bench.attempt();
    bench.answer("acquire", [fault(), fault()]);
    expect(bench.nodes[0]?.last("release").operation.ttlMs).to.equal(1_012);
  });

  it("carries the token in the rollback of a sealing that failed, and none before there is one", () => {
    const bench = new CoordinatorBench();
    bench.attempt();
    bench.answer("acquire", [granted(7), granted(9)]);
    bench.answer("seal", [held()]);
    bench.nodes[2]?.answer("acquire", held());
    expect(bench.nodes[1]?.last("release").operation.fence).to.equal(9);
    expect(bench.counts("release"), "also where it was refused").to.deep.equal([1, 1, 1]);
    bench.attempt();
    bench.answer("acquire", [held(), granted(7), held()]);
    expect(bench.nodes[1]?.last("release").operation.fence).to.equal(undefined);
  });

  it("is rolled back when sealing fails, and says by whose votes", () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.attempt();
    bench.answer("acquire", [granted(7), granted(9)]);
    bench.answer("seal", [held()]);
    expect(outcomes).to.deep.equal([]);
    bench.clock.advance(50);
    expect(outcomes).to.have.length(1);
    expect(outcomes[0]).to.include({ kind: "unreachable" });
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("gives up at the deadline of its nodes", () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.attempt();
    bench.answer("acquire", [granted(7)]);
    bench.clock.advance(49);
    expect(outcomes).to.deep.equal([]);
    bench.clock.advance(1);
    expect(outcomes[0]).to.include({ kind: "unreachable" });
  });

  it("lets no straggler revive it", () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.attempt();
    bench.answer("acquire", [held(), held(), undefined]);
    bench.answer("acquire", [granted(7), granted(7), granted(7)]);
    expect(outcomes).to.have.length(1);
    expect(bench.grantedCount).to.equal(0);
    expect(bench.counts("seal")).to.deep.equal([0, 0, 0]);
  });

  it("settles nothing once aborted, and is rolled back; abort twice is abort once", () => {
    for (const votes of [[], [granted(7)], [granted(7), granted(9)]]) {
      const bench = new CoordinatorBench();
      const { attempt, outcomes } = bench.attempt();
      bench.answer("acquire", votes);
      attempt.abort();
      attempt.abort();
      expect(bench.counts("release"), `${votes.length} votes`).to.deep.equal([1, 1, 1]);
      bench.answer("acquire", [granted(7), granted(7), granted(7)]);
      if (bench.nodes[0]?.kinds.includes("seal") === true) bench.answer("seal", [granted(9)]);
      bench.clock.advance(1_000);
      expect(outcomes).to.deep.equal([]);
      expect(bench.grantedCount).to.equal(0);
    }
  });

  it("cannot be aborted once settled", () => {
    const bench = new CoordinatorBench();
    const { attempt, outcomes } = bench.attempt();
    bench.answer("acquire", [granted(7), granted(7)]);
    attempt.abort();
    expect(outcomes).to.have.length(1);
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
  });

  it("leaves no timer behind, however it ends", () => {
    const bench = new CoordinatorBench();
    const { attempt } = bench.attempt();
    attempt.abort();
    bench.answer("release", [held(), held(), held()]);
    const sealing = bench.attempt();
    bench.answer("acquire", [granted(7), granted(9)]);
    sealing.attempt.abort();
    bench.answer("release", [granted(), granted()]);
    bench.attempt();
    bench.answer("acquire", [held(), held()]);
    bench.answer("release", [held(), held()]);
    bench.context.schedule.close();
    expect(bench.clock.timerCount).to.equal(0);
  });
});
