import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { Pipe } from "../../src/memory/pipe.js";

describe("Pipe", () => {
  it("keeps the order, and lets nothing out before its time", async () => {
    const pipe = new Pipe();
    const out: string[] = [];
    const put = (delayMs: number, text: string): void => pipe.put(delayMs, () => out.push(text));
    put(0, "a");
    put(30, "b");
    put(0, "c");
    put(5, "d");
    expect(out, "not from within the call").to.deep.equal([]);
    await sleep(10);
    expect(out).to.deep.equal(["a"]);
    await sleep(40);
    expect(out).to.deep.equal(["a", "b", "c", "d"]);
  });

  it("keeps back what is due while it is held, and loses what is in it when it is closed", async () => {
    const pipe = new Pipe();
    const out: string[] = [];
    pipe.hold();
    for (const text of ["a", "b"]) pipe.put(0, () => out.push(text));
    await sleep(1);
    expect(out).to.deep.equal([]);
    pipe.letGo();
    expect(out).to.deep.equal(["a", "b"]);
    pipe.put(1, () => out.push("c"));
    pipe.close();
    pipe.put(0, () => out.push("d"));
    await sleep(5);
    expect(out).to.deep.equal(["a", "b"]);
  });
});
