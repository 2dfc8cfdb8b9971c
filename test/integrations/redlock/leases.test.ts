import { expect } from "chai";
import keySlot from "cluster-key-slot";
import {
  leasesByValue,
  leaseSettings,
  setsOf,
  takeAll,
  type Failed,
  type Leases,
} from "../../../src/integrations/redlock/leases.js";
import { keysOf } from "../../../src/kinds/exclusive.js";
import type { Vote } from "../../../src/protocol/operation.js";
import { CoordinatorBench, stateOf } from "../../support/coordinator-bench.js";
import { settle } from "../../support/manual-clock.js";
import { at } from "../../support/nodes.js";
import { fault, free, granted, held } from "../../support/votes.js";

/** Validity of these: 1000 - (10 + 2) = 988 ms; the deadline of a node is 200 ms. */
const SETTINGS = leaseSettings(1_000, 0.01);

class TakeBench extends CoordinatorBench {
  result: Leases | Failed | undefined;

  take(names: readonly string[], hasCluster = false): void {
    const sets = setsOf(
      names.map((name) => keysOf("", name)),
      hasCluster,
    );
    void takeAll(this.context, sets, "me", SETTINGS).then((result) => {
      this.result = result;
    });
  }

  /** Answers the acquire sent last, and lets the next be sent. */
  async vote(...votes: (Vote | undefined)[]): Promise<void> {
    this.answer("acquire", votes);
    await settle();
  }

  /** The names in each acquire that a node was asked for. */
  get sets(): (readonly string[])[] {
    return at(this.nodes, 0)
      .all("acquire")
      .map(({ operation }) => operation.keys.names);
  }

  /** What undoes a failed attempt. */
  undo(): Promise<unknown> {
    if (this.result === undefined || "length" in this.result) throw new Error("not failed");
    return this.result.undone?.() ?? Promise.resolve();
  }
}

describe("takeAll", () => {
  it("asks each node once for all names, in any order the same, under one value", async () => {
    const bench = new TakeBench();
    bench.take(["c", "a", "b"]);
    expect(bench.sets).to.deep.equal([["a", "b", "c"]]);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
    await bench.vote(granted(), granted(), undefined);
    expect(bench.result).to.have.length(1);
    expect(at(bench.nodes, 0).last("acquire").operation.ownerId).to.equal("me");
    bench.context.schedule.close();
    expect(bench.clock.timerCount, "what is left to wake").to.equal(0);
  });

  it("takes a set after another where they are too many for a step, or in other hash slots", async () => {
    const many = Array.from({ length: 150 }, (_, index) => `n${1_000 + index}`);
    const cases = [
      { names: many, hasCluster: false, sizes: [100, 50] },
      { names: ["{a}1", "b", "{a}2", "c", "{b}1"], hasCluster: true, sizes: [2, 2, 1] },
    ];
    for (const { names, hasCluster, sizes } of cases) {
      const orders = [names, names.toReversed()].map(async (given) => {
        const bench = new TakeBench();
        bench.take(given, hasCluster);
        for (let step = 0; step < sizes.length; step++) await bench.vote(granted(), granted());
        expect(bench.result).to.have.length(sizes.length);
        return bench.sets;
      });
      const [sets, others] = await Promise.all(orders);
      expect(sets).to.deep.equal(others);
      expect(sets?.map(({ length }) => length).toSorted((a, b) => b - a)).to.deep.equal(sizes);
      expect(sets?.flat()).to.have.members(names);
      if (!hasCluster) continue;
      for (const set of sets ?? []) expect(new Set(set.map(keySlot)).size).to.equal(1);
    }
  });

  it("gives up the sets that it has when it does not get the next", async () => {
    const bench = new TakeBench();
    bench.take(["a", "b"], true);
    await bench.vote(granted(), granted(), granted());
    expect(bench.result).to.equal(undefined);
    await bench.vote(held(), held(), granted());
    const released = bench.nodes.map((node) =>
      node.all("release").map(({ operation }) => operation.keys.name),
    );
    // A node that refused has nothing to release.
    expect(released.map((names) => names.toSorted())).to.deep.equal([["b"], ["b"], ["a", "b"]]);
    expect(bench.result).to.have.property("undone");
    expect([bench.grantedCount, bench.releasedCount]).to.deep.equal([1, 1]);
  });

  it("begins no set again: under that value it may have others, and what undoes it", async () => {
    const late = fault("late", false);
    const bench = new TakeBench();
    bench.take(["a", "b"], true);
    await bench.vote(granted(), granted(), granted());
    await bench.vote(late, late, late);
    expect(bench.counts("acquire")).to.deep.equal([2, 2, 2]);
    expect(bench.result).to.have.property("undone");
  });

  it("hands out no lock whose time is over, and gives all of it up", async () => {
    const bench = new TakeBench();
    bench.take(["a", "b", "c", "d", "e", "f", "g"], true);
    for (let step = 0; step < 7; step++) {
      bench.clock.advance(step === 0 ? 0 : 165);
      await bench.vote(granted(), granted(), granted());
    }
    expect(bench.result).to.have.property("undone");
    expect(bench.counts("release")).to.deep.equal([7, 7, 7]);
  });

  for (const { what, votes, afterMs } of [
    { what: "once all nodes have answered", votes: [granted(), free(), fault()], afterMs: 0 },
    { what: "as far as is known at their deadline", votes: [granted(), fault()], afterMs: 200 },
  ]) {
    it(`is undone ${what}`, async () => {
      const bench = new TakeBench();
      bench.take(["a"]);
      await bench.vote(held(), fault(), granted());
      const undone = bench.undo();
      bench.answer("release", votes);
      if (afterMs > 0) {
        bench.clock.advance(afterMs - 1);
        expect(await stateOf(undone)).to.equal("pending");
        bench.clock.advance(1);
      }
      expect(await stateOf(undone)).not.to.equal("pending");
      // What was rolled back comes first, and is owed to a node that is down.
      const owed = at(bench.nodes, 2).all("release");
      expect(owed.map(({ mayHold }) => mayHold)).to.deep.equal([true, false]);
    });
  }
});

describe("leasesByValue", () => {
  it("are valid as long as they are said to be, but no longer than the nodes could have confirmed", () => {
    for (const [saidMs, leftMs] of [
      [300, 300],
      [1e12, 988],
    ] as const) {
      const bench = new CoordinatorBench();
      const sets = setsOf([keysOf("", "a")], false);
      const [lease] = leasesByValue(bench.context, sets, "me", SETTINGS, saidMs);
      expect([lease?.ownerId, lease?.remainingMs]).to.deep.equal(["me", leftMs]);
      expect(bench.clock.timerCount).to.equal(0);
    }
  });
});

describe("the deadline of a node", () => {
  for (const { durationMs, timeoutMs } of [
    { durationMs: 10_000, timeoutMs: 1_000 },
    { durationMs: 1_000, timeoutMs: 200 },
    { durationMs: 200, timeoutMs: 50 },
    { durationMs: 60, timeoutMs: 30 },
  ]) {
    it(`is ${timeoutMs} ms for a lock of ${durationMs} ms`, () => {
      const { nodeTimeoutMs } = leaseSettings(durationMs, 0.01);
      expect(nodeTimeoutMs).to.equal(timeoutMs);
    });
  }
});
