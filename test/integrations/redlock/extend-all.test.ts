import { expect } from "chai";
import { EventEmitter } from "node:events";
import { extendAll, type Extended } from "../../../src/integrations/redlock/extend-all.js";
import { leaseSettings } from "../../../src/integrations/redlock/lease-state.js";
import { DEFAULT_SETTINGS } from "../../../src/integrations/redlock/settings.js";
import { Stats } from "../../../src/integrations/redlock/stats.js";
import type { RedisClient } from "../../../src/redis/client-types.js";
import { CoordinatorBench } from "../../support/coordinator-bench.js";
import { settle } from "../../support/manual-clock.js";
import { at } from "../../support/nodes.js";
import { fault, free, granted, held } from "../../support/votes.js";
import { keysOf } from "../../../src/kinds/exclusive.js";

class ExtendBench extends CoordinatorBench {
  isOver = false;
  result: Extended | undefined;

  extend(names: readonly string[] = ["a"]): void {
    const clients = this.nodes.map(() => new EventEmitter() as RedisClient);
    void extendAll(
      this.context,
      names.map((name) => keysOf("", name)),
      "me",
      leaseSettings(1_000, DEFAULT_SETTINGS),
      new Stats(clients, names.length, () => {}),
      () => this.isOver,
    ).then((result) => {
      this.result = result;
    });
  }
}

describe("extendAll", () => {
  const CASES = [
    { votes: [granted(), granted(), held()], result: "extended", heals: [0, 0, 0] },
    { votes: [free(), granted(), granted()], result: "extended", heals: [1, 0, 0] },
    { votes: [granted(), granted(), fault()], result: "extended", heals: [0, 0, 0] },
    { votes: [granted(), free(), held()], result: "lost", heals: [0, 0, 0] },
    { votes: [granted(), free(), fault()], result: "failed", heals: [0, 0, 0] },
  ];
  for (const { votes, result, heals } of CASES) {
    const said = votes.map((vote) => ("reason" in vote ? vote.reason : vote.kind)).join(", ");
    it(`is ${result} after ${said}`, async () => {
      const bench = new ExtendBench();
      bench.extend();
      bench.answer("extend", votes);
      await settle();
      expect(typeof bench.result === "string" ? bench.result : "extended").to.equal(result);
      expect(bench.counts("heal")).to.deep.equal(heals);
    });
  }

  for (const isOver of [false, true]) {
    const what = isOver ? "not put back behind its release" : "put back while it is held";
    it(`a copy that turns out to be missing late is ${what}`, async () => {
      const bench = new ExtendBench();
      bench.extend();
      bench.answer("extend", [granted(), granted()]);
      await settle();
      bench.isOver = isOver;
      bench.clock.advance(300);
      at(bench.nodes, 2).answer("extend", free());
      expect(bench.counts("heal")).to.deep.equal([0, 0, isOver ? 0 : 1]);
      // It ends with the keys of the others.
      if (!isOver) expect(at(bench.nodes, 2).last("heal").operation.ttlMs).to.equal(700);
    });
  }

  it("is lost if it was released meanwhile, and nothing is put back", async () => {
    const bench = new ExtendBench();
    bench.extend();
    bench.isOver = true;
    bench.answer("extend", [granted(), granted(), free()]);
    await settle();
    expect(bench.result).to.equal("lost");
    expect(bench.counts("heal")).to.deep.equal([0, 0, 0]);
  });

  it("has failed if the answers came after the end of the lock", async () => {
    const bench = new ExtendBench();
    bench.extend();
    bench.answer("extend", [granted()]);
    bench.clock.stall(990);
    bench.answer("extend", [undefined, granted()]);
    await settle();
    expect(bench.result).to.equal("failed");
  });

  it("needs every name", async () => {
    const bench = new ExtendBench();
    bench.extend(["a", "b"]);
    for (const node of bench.nodes) {
      const [a, b] = node.all("extend");
      a?.reply(granted());
      b?.reply(free());
    }
    await settle();
    expect(bench.result).to.equal("lost");
  });
});
