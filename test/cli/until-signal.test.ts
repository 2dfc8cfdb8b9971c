import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { pause, untilSignal } from "../../src/cli/until-signal.js";

describe("pause", () => {
  it("is over after its time, or when it is aborted", async () => {
    const { signal } = new AbortController();
    await pause(1, signal);
    await pause(60_000, AbortSignal.timeout(1));
  });

  it("does not end at once if it is longer than a timer of Node.js can be", async () => {
    const controller = new AbortController();
    let isOver = false;
    const pausing = pause(2 ** 31, controller.signal).then(() => (isOver = true));
    await sleep(20);
    expect(isOver).to.equal(false);
    controller.abort();
    await pausing;
  });
});

describe("untilSignal", () => {
  const SIGNALS = ["SIGINT", "SIGTERM"] as const;
  const listenerCounts = (): readonly number[] =>
    SIGNALS.map((signal) => process.listenerCount(signal));

  for (const signal of SIGNALS) {
    it(`aborts what runs when ${signal} arrives`, async () => {
      const result = await untilSignal(async (running) => {
        expect(running.aborted).to.equal(false);
        process.emit(signal);
        expect(running.aborted).to.equal(true);
        return "the end";
      });
      expect(result).to.equal("the end");
    });
  }

  it("handles no signal any more after the end, or after an error", async () => {
    const before = listenerCounts();
    const added = before.map((count) => count + 1);
    await untilSignal(async () => expect(listenerCounts()).to.deep.equal(added));
    expect(listenerCounts()).to.deep.equal(before);
    const error = new Error("of the command");
    const failed = await untilSignal(() => Promise.reject(error)).catch(
      (thrown: unknown) => thrown,
    );
    expect(failed).to.equal(error);
    expect(listenerCounts()).to.deep.equal(before);
  });
});
