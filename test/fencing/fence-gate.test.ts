import { expect } from "chai";
import { FenceGate } from "../../src/fencing/index.js";
import { settle } from "../support/manual-clock.js";

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
});
