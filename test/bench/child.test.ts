import { expect } from "chai";
import { askOnce, Child } from "../../bench/process/child.js";

const PROGRAM = new URL("answering-child.js", import.meta.url);
const LIMIT_MS = 40_000;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("a bench's child", () => {
  it("answers one question after the other, and is gone when disposed of", async () => {
    const child = new Child("one", PROGRAM);
    const { pid } = await child.ask<{ pid: number }>({ kind: "a" }, LIMIT_MS);
    expect(await child.ask({ kind: "b" }, LIMIT_MS)).to.deep.equal({ pid, kind: "b" });
    expect(pid).to.not.equal(process.pid);
    expect(isAlive(pid)).to.equal(true);
    await child[Symbol.asyncDispose]();
    expect(isAlive(pid)).to.equal(false);
    await child[Symbol.asyncDispose]();
  });

  const failures: [kind: string, limitMs: number, message: string][] = [
    ["throw", LIMIT_MS, "one: RangeError: no such thing"],
    ["exit", LIMIT_MS, "one: it ended with code 3"],
    ["silence", 50, "one: no answer after 50 ms"],
  ];
  for (const [kind, limitMs, message] of failures) {
    it(`says so where it meets ${kind}`, async () => {
      const error = await askOnce("one", PROGRAM, { kind }, limitMs).catch((error: Error) => error);
      expect((error as Error).message).to.include(message);
    });
  }
});
