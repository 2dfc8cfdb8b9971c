import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { keysOf } from "../../src/kinds/exclusive.js";
import { KnownSizes } from "../../src/manager/known-sizes.js";

const POOL = keysOf("lock:", "pool");

describe("What is known of the sizes of semaphores", () => {
  it("is what each user gives, until one was resized, and then the newest for all", () => {
    const sizes = new KnownSizes();
    const [two, three] = [sizes.of(POOL, 2), sizes.of(POOL, 3)];
    const other = sizes.of(keysOf("lock:", "other"), 4);
    two.learn({ count: 9, version: 0 });
    expect([two, three].map(({ current }) => current.count)).to.deep.equal([2, 3]);
    three.learn({ count: 5, version: 7 });
    two.learn({ count: 9, version: 6 });
    expect([two, three, sizes.of(POOL, 1)].map(({ current }) => current)).to.deep.equal(
      Array.from({ length: 3 }, () => ({ count: 5, version: 7 })),
    );
    expect(other.current).to.deep.equal({ count: 4, version: 0 });
    two.learn({ count: 1, version: 8 });
    expect(three.current.count).to.equal(1);
  });

  it("is asked for in turn: no answer overtakes one that was asked for before", async () => {
    const sizes = new KnownSizes();
    const order: number[] = [];
    const late = sleep(20);
    const questions = [late, Promise.reject(new Error("no quorum")), Promise.resolve()];
    const turn = async (at: number, question?: Promise<unknown>): Promise<void> => {
      await sizes.inTurn(POOL, question, () => order.push(at));
    };
    const turns = questions.map((question, at) => turn(at, question));
    turns.push(turn(3));
    expect(sizes.isAsked(POOL)).to.equal(true);
    expect(sizes.isAsked(keysOf("lock:", "other"))).to.equal(false);
    await Promise.all(turns);
    expect(order).to.deep.equal([0, 1, 2, 3]);
    expect(sizes.isAsked(POOL)).to.equal(false);
  });

  it("is bounded: those that were learned first are forgotten", () => {
    const sizes = new KnownSizes();
    const at = (index: number) => sizes.of(keysOf("lock:", `name ${index}`), 1);
    for (let index = 0; index <= 10_000; index++) at(index).learn({ count: 2, version: 1 });
    expect([0, 1, 10_000].map((index) => at(index).current.count)).to.deep.equal([1, 2, 2]);
    at(5).learn({ count: 3, version: 2 });
    expect(at(1).current.count, "nothing is forgotten for one that is known").to.equal(2);
  });
});
