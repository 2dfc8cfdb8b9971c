import { expect } from "chai";
import { FenceGate, StaleTokenError } from "../../src/fencing/index.js";
import { settle } from "../support/manual-clock.js";
import { rejectionWith } from "../support/settle.js";

describe("FenceGate", () => {
  it("lets one write through after the other, also one that comes while the second runs", async () => {
    const gate = new FenceGate();
    const log: string[] = [];
    const write = (id: string) => {
      let end = (): void => {};
      const done = new Promise<void>((resolve) => (end = resolve));
      const running = gate.run({ name: "r", fencingToken: 1 }, async () => {
        log.push(`${id} begins`);
        await done;
        log.push(`${id} ends`);
      });
      return { running, end };
    };
    const [a, b] = [write("a"), write("b")];
    a.end();
    await a.running;
    await settle();
    const c = write("c");
    await settle();
    expect(log).to.deep.equal(["a begins", "a ends", "b begins"]);
    b.end();
    c.end();
    await Promise.all([b.running, c.running]);
    expect(log.slice(3)).to.deep.equal(["b ends", "c begins", "c ends"]);
  });

  for (const [lifted, kind, message] of [
    ["7", TypeError, '`store.lift` must resolve to a number, got "7" (string): convert it'],
    [7n, TypeError, "`store.lift` must resolve to a number, got 7 (bigint): convert it"],
    ["8", TypeError, '`store.lift` must resolve to a number, got "8" (string): convert it'],
    [undefined, TypeError, "`store.lift` must resolve to a number, got undefined (undefined)"],
    [Number.NaN, TypeError, "`store.lift` must resolve to a number, got NaN (number)"],
    [6, RangeError, "`store.lift` must resolve to the larger of fence and token (7), got 6"],
    [8, StaleTokenError, "a larger one (8) has been seen"],
  ] as const) {
    it(`runs no write where the store answers ${String(lifted)} (${typeof lifted})`, async () => {
      const gate = new FenceGate({ store: { lift: async () => lifted as number } });
      const run = gate.run({ name: "r", fencingToken: 7 }, () => expect.fail("it was run"));
      expect((await rejectionWith(kind, run)).message).to.include(message);
    });
  }

  for (const [store, got] of [
    [{}, "[object Object]"],
    ["redis", '"redis"'],
    [{ lift: 5 }, "[object Object]"],
  ] as const) {
    it(`is not made with the store ${JSON.stringify(store)}`, () => {
      const message = `\`store\` must have a method \`lift\`, got ${got}`;
      expect(() => new FenceGate({ store: store as never })).to.throw(TypeError, message);
    });
  }
});
