import { expect } from "chai";
import * as fc from "fast-check";
import { release, Release } from "../../src/coordinator/release.js";
import { ALL_NODES } from "../../src/protocol/quorum.js";
import { newOperation, type Vote } from "../../src/protocol/operation.js";
import type { Waiter } from "../../src/protocol/node-queue.js";
import { CoordinatorBench, KEYS, leaseSettings, stateOf } from "../support/coordinator-bench.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

const OWN: Waiter = {
  ...{ inbox: "inbox", ticket: 5, turnMs: 20 },
  deferred: { ownerId: "me", ttlMs: 1_000, maxAgeMs: 100 },
};
const NEXT: Waiter = { ...OWN, ticket: 6, deferred: undefined };

function releaseOn(bench: CoordinatorBench, mayHold = 0) {
  const settings = leaseSettings();
  return release(bench.context, {
    keys: KEYS,
    ownerId: "me",
    settings,
    token: 7,
    mayHold,
    waiter: undefined,
  });
}

describe("release", () => {
  for (const { votes, result } of [
    { votes: [granted(), granted(), undefined], result: "released" },
    { votes: [granted(), free(), free()], result: "expired" },
    { votes: [free(), held(), undefined], result: "expired" },
    { votes: [foreign(), free(), undefined], result: "expired" },
    { votes: [granted(), free(), fault()], result: "partial" },
    { votes: [fault(), fault(), undefined], result: "partial" },
    { votes: [granted(), undefined, undefined], result: "pending" },
    { votes: [granted(), free(), undefined], result: "pending" },
  ] as { votes: (Vote | undefined)[]; result: string }[]) {
    const said = votes.map((vote) => (vote === undefined ? "silence" : vote.kind)).join(", ");
    it(`is ${result} after ${said}`, async () => {
      const bench = new CoordinatorBench();
      const promise = releaseOn(bench);
      bench.answer("release", votes);
      expect(await stateOf(promise)).to.equal(result);
    });
  }

  it("is partial at the node deadline where too few have answered", async () => {
    const bench = new CoordinatorBench();
    const promise = releaseOn(bench);
    bench.answer("release", [granted()]);
    bench.clock.advance(49);
    expect(await stateOf(promise)).to.equal("pending");
    bench.clock.advance(1);
    expect(await stateOf(promise)).to.equal("partial");
  });

  it("always resolves by the deadline, whatever the votes", async () => {
    const vote = fc.constantFrom(granted(), free(), held(), fault(), undefined);
    await fc.assert(
      fc.asyncProperty(fc.array(vote, { minLength: 1, maxLength: 6 }), async (votes) => {
        const bench = new CoordinatorBench(votes.length);
        const promise = releaseOn(bench);
        bench.answer("release", votes);
        bench.clock.advance(50);
        const count = (kind: string): number => votes.filter((cast) => cast?.kind === kind).length;
        const result = await stateOf(promise);
        expect(result).to.be.oneOf(["released", "expired", "partial"]);
        if (result === "released") expect(2 * count("granted")).to.be.greaterThan(votes.length);
        if (result === "expired") expect(2 * count("refused")).to.be.at.least(votes.length);
      }),
    );
  });

  it("asks all nodes, with the token, and a proposal for whoever waits, whenever it can be sent", () => {
    const bench = new CoordinatorBench();
    void releaseOn(bench, 0b010);
    expect(bench.nodes.map((node) => node.last("release").mayHold)).to.deep.equal([
      false,
      true,
      false,
    ]);
    expect(bench.nodes[2]?.last("release").operation).to.deep.equal(
      newOperation("release", {
        ...{ keys: KEYS, ownerId: "me", ttlMs: 1_012, fence: 7, sendBeforeMs: Infinity },
        proposal: bench.context.proposals.current,
      }),
    );
  });

  it("proposes nothing without fencing", () => {
    const bench = new CoordinatorBench();
    const settings = leaseSettings({ fencing: false });
    void release(bench.context, { keys: KEYS, ownerId: "me", settings, mayHold: 0 });
    expect(bench.nodes[0]?.last("release").operation.proposal).to.equal(undefined);
  });

  for (const { title, waiter, sent } of [
    { title: "its own place, where nobody else of it waits", waiter: undefined, sent: "withdrawn" },
    { title: "the place of whoever is next, where somebody does", waiter: NEXT, sent: "next" },
  ]) {
    it(`names ${title}`, () => {
      const bench = new CoordinatorBench();
      const settings = leaseSettings();
      const own = { keys: KEYS, ownerId: "me", settings, mayHold: 0, waiter, place: OWN };
      void release(bench.context, own);
      const withdrawn = { ...OWN, ticket: 0, deferred: undefined };
      expect(bench.nodes[0]?.last("release").operation.waiter).to.deep.equal(
        sent === "next" ? NEXT : withdrawn,
      );
    });
  }
});

describe("a release that is asked for again", () => {
  class Bench extends CoordinatorBench {
    readonly #release = new Release(this.context, {
      ...{ keys: KEYS, ownerId: "me", settings: leaseSettings(), mayHold: ALL_NODES },
    });

    /** One round, in which the nodes answer this; undefined leaves a node silent. */
    async asked(...votes: (Vote | undefined)[]): Promise<string> {
      const result = this.#release.ask();
      this.answer("release", votes);
      if ((await stateOf(result)) === "pending") this.clock.advance(50);
      return result;
    }
  }

  const TABLE: readonly (readonly [first: Vote[], second: Vote[], result: string])[] = [
    // Deleted at the first, and so gone at the second.
    [[granted(), fault(), fault()], [free(), granted(), fault()], "released"],
    [[granted(), fault(), fault()], [free(), fault(), fault()], "partial"],
    [[free(), fault(), fault()], [free(), granted(), fault()], "partial"],
    [[free(), fault(), fault()], [free(), free(), fault()], "expired"],
  ];
  for (const [first, second, result] of TABLE) {
    const said = [first, second].map((votes) => votes.map(({ kind }) => kind).join(", "));
    it(`is ${result} after ${said.join("; ")}`, async () => {
      const bench = new Bench();
      expect(await bench.asked(...first)).to.equal("partial");
      expect(await bench.asked(...second)).to.equal(result);
    });
  }

  it("counts what came after the deadline of the round before", async () => {
    const bench = new Bench();
    expect(await bench.asked(granted())).to.equal("partial");
    bench.answer("release", [undefined, granted(), undefined]);
    expect(await bench.asked(free(), free())).to.equal("released");
  });

  it("counts a node that is silent when it is asked again", async () => {
    const bench = new Bench();
    expect(await bench.asked(granted(), fault(), fault())).to.equal("partial");
    expect(await bench.asked(undefined, granted(), fault())).to.equal("released");
  });

  it("counts what came to the round before while it was asked again", async () => {
    const bench = new Bench();
    expect(await bench.asked()).to.equal("partial");
    // Each node executes both, and deletes our key by the first: its replies come in this order.
    const second = bench.asked();
    for (const node of bench.nodes) {
      const [first, again] = node.all("release");
      first?.reply(granted());
      again?.reply(free());
    }
    expect(await second).to.equal("released");
  });

  it("owes each node one release, however often it is asked", async () => {
    const bench = new Bench();
    for (let count = 0; count < 3; count++) await bench.asked(granted(), fault(), fault());
    const owed = bench.nodes.map((node) => node.all("release").map(({ mayHold }) => mayHold));
    expect(owed).to.deep.equal([0, 1, 2].map(() => [true, false, false]));
  });
});
