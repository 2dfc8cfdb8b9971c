import * as FakeTimers from "@sinonjs/fake-timers";
import { expect } from "chai";
import { stopTimes } from "../../../src/cli/exec/stop-times.js";
import { Fence } from "../../../src/cli/exec/fence.js";

const TTL_MS = 30_000;
const times = stopTimes(TTL_MS);

describe("A fence", () => {
  let clock: ReturnType<typeof FakeTimers.install>;
  let untilMs: number;
  let seen: string[];
  let guarded: number[];
  let fence: Fence;

  const remainingMs = (): number => Math.max(0, untilMs - clock.now);
  const note = (what: string) => (leftMs: number) => {
    if (seen.at(-1)?.startsWith(`${what} `) !== true) seen.push(`${what} ${Math.round(leftMs)}`);
  };

  beforeEach(() => {
    clock = FakeTimers.install({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    untilMs = TTL_MS;
    seen = [];
    guarded = [];
    fence = new Fence(remainingMs, times, {
      onRenewed: note("renewed"),
      onLate: note("late"),
      onTerminate: note("terminate"),
      onKill: note("kill"),
      onMoved: ({ killInMs }) => guarded.push(clock.now + killInMs),
    });
    fence.look();
  });
  afterEach(() => {
    fence.stop();
    clock.uninstall();
  });

  it("is silent while the lock is renewed, and the guard knows each new end", () => {
    for (let at = 10_000; at <= 60_000; at += 10_000) {
      clock.tick(10_000);
      untilMs = clock.now + TTL_MS;
    }
    clock.tick(100);
    expect(new Set(seen.map((what) => what.split(" ")[0]))).to.deep.equal(new Set(["renewed"]));
    expect(guarded).to.deep.equal([0, 1, 2, 3, 4, 5, 6].map((n) => n * 10_000 + TTL_MS - 150));
    expect(fence.hasFired).to.equal(false);
  });

  it("goes through all stages on time if it is not", () => {
    clock.tick(TTL_MS);
    expect(seen).to.deep.equal(["late 15000", "terminate 10300", "kill 300"]);
    expect(fence.hasFired).to.equal(true);
  });

  it("forgives what was late and then renewed, and is late again the next time", () => {
    clock.tick(16_000);
    untilMs = clock.now + TTL_MS;
    clock.tick(16_000);
    expect(seen).to.deep.equal(["late 15000", "renewed 29900", "late 15000"]);
  });

  it("does not take back what it has decided: a later renewal only puts off the kill", () => {
    clock.tick(20_000);
    untilMs = clock.now + TTL_MS;
    clock.tick(TTL_MS);
    expect(seen).to.deep.equal(["late 15000", "terminate 10300", "renewed 29900", "kill 300"]);
  });

  it("sees within 100 ms that the lock is gone", () => {
    clock.tick(1_050);
    untilMs = 0;
    clock.tick(1_000);
    expect(seen).to.deep.equal(["kill 0"]);
    expect(guarded).to.have.length(2);
  });

  it("is over when it is stopped", () => {
    fence.stop();
    clock.tick(TTL_MS);
    expect(seen).to.deep.equal([]);
    expect(clock.countTimers()).to.equal(0);
  });
});
