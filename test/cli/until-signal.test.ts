import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { pause } from "../../src/cli/until-signal.js";

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
