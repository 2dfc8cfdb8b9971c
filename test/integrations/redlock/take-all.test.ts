import { expect } from "chai";
import { EventEmitter } from "node:events";
import keySlot from "cluster-key-slot";
import type { Vote } from "../../../src/protocol/operation.js";
import { leaseSettings } from "../../../src/integrations/redlock/lease-state.js";
import { DEFAULT_SETTINGS } from "../../../src/integrations/redlock/settings.js";
import { Stats } from "../../../src/integrations/redlock/stats.js";
import { takeAll, type NotTaken, type Taken } from "../../../src/integrations/redlock/take-all.js";
import type { RedisClient } from "../../../src/redis/client-types.js";
import { CoordinatorBench, stateOf } from "../../support/coordinator-bench.js";
import { settle } from "../../support/manual-clock.js";
import { at } from "../../support/nodes.js";
import { fault, free, granted, held } from "../../support/votes.js";
import { keysOf } from "../../../src/kinds/exclusive.js";

/** Validity of these: 1000 - (10 + 2) = 988 ms; the deadline of a node is 200 ms. */
const SETTINGS = leaseSettings(1_000, DEFAULT_SETTINGS);

class TakeBench extends CoordinatorBench {
  result: Taken | NotTaken | undefined;
  readonly stats = new Stats(
    this.nodes.map(() => new EventEmitter() as RedisClient),
    1,
    () => {},
  );

  take(names: readonly string[], hasCluster = false): void {
    const keys = names.map((name) => keysOf("", name));
    void takeAll(this.context, keys, hasCluster, SETTINGS, this.stats).then((result) => {
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
      .map(({ operation }) => operation.keys.names ?? [operation.keys.name]);
  }

  get untilUndone(): Promise<void> {
    if (this.result === undefined || !("untilUndone" in this.result)) throw new Error("not failed");
    return this.result.untilUndone();
  }
}

describe("takeAll", () => {
  it("asks each node once for all names, in any order the same, under one value", async () => {
    const bench = new TakeBench();
    bench.take(["c", "a", "b"]);
    expect(bench.sets).to.deep.equal([["a", "b", "c"]]);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
    await bench.vote(granted(), granted(), undefined);
    const { ownerId } = at(bench.nodes, 0).last("acquire").operation;
    expect(bench.result).to.deep.include({ value: ownerId, settings: SETTINGS });
    bench.context.schedule.close();
    expect(bench.clock.timerCount, "what is left to wake").to.equal(1);
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
        expect(bench.result).to.have.property("value");
        expect(new Set(at(bench.nodes, 0).asks.map(({ operation }) => operation.ownerId)).size) //
          .to.equal(1);
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
    expect(bench.result).not.to.have.property("value");
  });

  it("begins again under another value, so that what undoes the first attempt leaves the second alone", async () => {
    const late = fault("late", false);
    const bench = new TakeBench();
    bench.take(["a"]);
    const first = at(bench.nodes, 0).last("acquire").operation.ownerId;
    await bench.vote(late, late, late);
    const second = at(bench.nodes, 0).last("acquire").operation.ownerId;
    expect([second === first, at(bench.nodes, 0).last("release").operation.ownerId]).to.deep.equal([
      ...[false, first],
    ]);
    await bench.vote(granted(), granted(), granted());
    expect(bench.result).to.include({ value: second });
  });

  it("begins no set again when it has others under that value", async () => {
    const late = fault("late", false);
    const bench = new TakeBench();
    bench.take(["a", "b"], true);
    await bench.vote(granted(), granted(), granted());
    await bench.vote(late, late, late);
    expect(bench.counts("acquire")).to.deep.equal([2, 2, 2]);
    expect(bench.result).to.have.property("untilUndone");
  });

  it("hands out no lock whose time is over, and gives all of it up", async () => {
    const bench = new TakeBench();
    bench.take(["a", "b", "c", "d", "e", "f", "g"], true);
    for (let step = 0; step < 7; step++) {
      bench.clock.advance(step === 0 ? 0 : 165);
      await bench.vote(granted(), granted(), granted());
    }
    expect(bench.result).not.to.have.property("value");
    expect(bench.counts("release")).to.deep.equal([7, 7, 7]);
  });

  it("is undone once all nodes have answered the releases", async () => {
    const bench = new TakeBench();
    bench.take(["a"]);
    await bench.vote(held(), fault(), granted());
    const { untilUndone } = bench;
    bench.answer("release", [undefined, free(), undefined]);
    expect(await stateOf(untilUndone)).to.equal("pending");
    bench.answer("release", [undefined, undefined, granted()]);
    await untilUndone;
    bench.context.schedule.close();
    expect(bench.clock.timerCount).to.equal(0);
    expect(await stateOf(bench.untilUndone)).to.equal(undefined);
  });

  it("is undone as far as can be known at the deadline of a node", async () => {
    const bench = new TakeBench();
    bench.take(["a"]);
    await bench.vote(held(), fault(), granted());
    const { untilUndone } = bench;
    bench.answer("release", [undefined, fault(), undefined]);
    bench.clock.advance(199);
    expect(await stateOf(untilUndone)).to.equal("pending");
    bench.clock.advance(1);
    await untilUndone;
  });
});
