import { AsyncLocalStorage } from "node:async_hooks";
import { expect } from "chai";
import { systemClock, systemEntropy } from "../../src/runtime/system.js";

/** Runs with `Date.now` and `performance.now` replaced. */
function withClocks<T>(monotonic: () => number, wall: () => number, run: () => T): T {
  const date = Date.now.bind(Date);
  const perf = performance.now.bind(performance);
  Date.now = wall;
  performance.now = monotonic;
  try {
    return run();
  } finally {
    Date.now = date;
    performance.now = perf;
  }
}

describe("systemClock", () => {
  it("runs with monotonic time", () => {
    let at = 1_000;
    withClocks(
      () => at,
      () => 5_000 + at,
      () => {
        const clock = systemClock();
        const startMs = clock.now();
        at += 250.5;
        expect(clock.now() - startMs).to.equal(250.5);
        expect(clock.steady()).to.equal(1_250.5);
      },
    );
  });

  it("adds what monotonic time missed of the wall clock, and never takes it back", () => {
    let [at, wall] = [1_000, 50_000];
    withClocks(
      () => at,
      () => wall,
      () => {
        const clock = systemClock();
        const startMs = clock.now();
        wall += 60_000;
        expect(clock.now() - startMs).to.equal(60_000);
        expect(clock.steady()).to.equal(1_000);
        wall -= 3_600_000;
        at += 10;
        wall += 10;
        expect(clock.now() - startMs).to.equal(60_010);
      },
    );
  });

  it("takes a reading again that was torn by a preemption, and adds nothing for it", () => {
    const monotonic = [0, 0, 500, 500.5, 501, 501];
    let wall = 0;
    withClocks(
      () => monotonic.shift() ?? 501,
      () => wall,
      () => {
        const clock = systemClock();
        // The first reading of the wall clock comes half a second behind that of the other.
        wall = 500;
        expect(clock.now()).to.be.below(502);
      },
    );
  });

  it("never goes back over many real readings, and keeps up with monotonic time", () => {
    const clock = systemClock();
    let last = clock.now();
    for (let times = 0; times < 10_000; times++) {
      const now = clock.now();
      expect(now).to.be.at.least(last);
      last = now;
    }
    const leastMs = clock.steady() - 1;
    expect(clock.now()).to.be.at.least(leastMs);
  });

  it("tells the wall clock in microseconds", () => {
    withClocks(
      () => 0,
      () => 1_700_000_000_123,
      () => {
        expect(systemClock().wallUs()).to.equal(1_700_000_000_123_000);
      },
    );
  });

  it("calls a timer back never early, by the clock it is compared with", async () => {
    const clock = systemClock();
    let isOver = false;
    // A loop that is busy looks at its timers all the time, as one with much traffic does.
    const spin = (): void => {
      if (!isOver) setImmediate(spin);
    };
    spin();
    let earliestMs = Number.POSITIVE_INFINITY;
    for (let times = 0; times < 60; times++) {
      const armedMs = clock.steady();
      await new Promise<void>((resolve) => {
        clock.setTimer(2, () => {
          earliestMs = Math.min(earliestMs, clock.steady() - armedMs - 2);
          resolve();
        });
      });
      // Begins at another fraction of a millisecond each time, which is where rounding shows.
      while (clock.steady() - armedMs < 3 + times / 60) continue;
    }
    isOver = true;
    expect(earliestMs).to.be.at.least(0);
  });

  it("takes delays that are longer than any of Node for long ones", async () => {
    const clock = systemClock();
    let isOver = false;
    const timers = [2 ** 31 - 1, 2 ** 40, Number.POSITIVE_INFINITY].map((delayMs) =>
      clock.setTimer(delayMs, () => (isOver = true)),
    );
    await new Promise<void>((resolve) => clock.setTimer(20, resolve));
    for (const timer of timers) timer.cancel();
    expect(isOver).to.equal(false);
  });

  it("calls no timer back that was called off, and defers, but not beyond this turn", async () => {
    const clock = systemClock();
    const order: string[] = [];
    clock.setTimer(0, () => order.push("cancelled")).cancel();
    await new Promise<void>((resolve) => {
      clock.defer(() => order.push("deferred"));
      setImmediate(() => {
        order.push("next phase");
        resolve();
      });
      order.push("now");
    });
    await new Promise<void>((resolve) => clock.setTimer(5, resolve));
    expect(order).to.deep.equal(["now", "deferred", "next phase"]);
  });

  it("defers in order, in no caller's async context, and past a callback that throws", async () => {
    const clock = systemClock();
    const caller = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const note = (text: string) => (): void => void seen.push([text, caller.getStore()]);
    const uncaught = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.once("uncaughtException", ({ message }) => seen.push(message));
    try {
      caller.run("a request", () => {
        clock.defer(note("first"));
        clock.defer(() => clock.defer(note("deferred later")));
        clock.defer(() => {
          throw new Error("thrown");
        });
        systemClock().defer(note("of another clock"));
        clock.defer(note("last"));
      });
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      for (const listener of uncaught) process.on("uncaughtException", listener);
    }
    expect(seen).to.deep.equal([
      ["first", undefined],
      "thrown",
      ["deferred later", undefined],
      ["of another clock", undefined],
      ["last", undefined],
    ]);
  });
});

describe("systemEntropy", () => {
  it("makes ids of 22 characters that need no quoting, all different, over many refills", () => {
    const entropy = systemEntropy();
    const ids = Array.from({ length: 2_000 }, () => entropy.id());
    expect(ids.every((id) => /^[\w-]{22}$/.test(id))).to.equal(true);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it("shares no ids between two instances", () => {
    const [a, b] = [systemEntropy(), systemEntropy()];
    const ids = Array.from({ length: 300 }, () => [a.id(), b.id()]).flat();
    expect(new Set(ids).size).to.equal(600);
  });

  it("draws units from [0, 1)", () => {
    const entropy = systemEntropy();
    const units = Array.from({ length: 1_000 }, () => entropy.unit());
    expect(Math.min(...units)).to.be.at.least(0);
    expect(Math.max(...units)).to.be.below(1);
    expect(new Set(units).size).to.be.above(900);
  });
});
