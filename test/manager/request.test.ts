import { expect } from "chai";
import { LockLostError } from "../../src/api/errors.js";
import type { Lock } from "../../src/api/lock.js";
import { LeasedLock } from "../../src/manager/lock.js";
import { SharedLease } from "../../src/manager/reentry/shared-lease.js";
import { runLocked } from "../../src/manager/request.js";
import { CoordinatorBench, nodesOfLock } from "../support/coordinator-bench.js";
import { settle } from "../support/manual-clock.js";
import { rejectionOf, rejectionWith } from "../support/settle.js";
import type { Vote } from "../../src/protocol/operation.js";
import { free, granted } from "../support/votes.js";

function withResolvers<T>() {
  let settle: { resolve: (value: T) => void; reject: (error: unknown) => void } | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...(settle as NonNullable<typeof settle>) };
}

const NEVER = new Promise<never>(() => {});
const NOT_FOUND = new Error("not found");

class RequestBench {
  readonly bench = new CoordinatorBench();
  readonly lock = new LeasedLock(this.bench.lease({ renew: false }), nodesOfLock(this.bench));

  readonly overruns: string[] = [];

  run<T>(callback: (lock: Lock) => T | PromiseLike<T>, lossGraceMs = 0): Promise<T> {
    const onOverrun = (message: string): void => void this.overruns.push(message);
    return runLocked(this.lock, callback, { lossGraceMs, clock: this.bench.clock, onOverrun });
  }

  /** Answers the release, which has to be there by now. */
  async answerRelease(vote: Vote = granted()): Promise<void> {
    await settle();
    this.bench.answer("release", [vote, vote]);
  }

  lose(): void {
    this.bench.clock.advance(988);
  }
}

describe("runLocked", () => {
  for (const { title, callback } of [
    { title: "a value", callback: () => 42 },
    { title: "a promise", callback: async () => 42 },
  ]) {
    it(`returns what the callback returned, ${title}, behind the release`, async () => {
      const bench = new RequestBench();
      let isDone = false;
      const running = bench.run(callback).then((result) => {
        isDone = true;
        return result;
      });
      await settle();
      expect(isDone).to.equal(false);
      await bench.answerRelease();
      expect(await running).to.equal(42);
    });
  }

  it("gives the callback the lock", async () => {
    const bench = new RequestBench();
    let given: Lock | undefined;
    const running = bench.run((lock) => {
      given = lock;
    });
    await bench.answerRelease();
    await running;
    expect(given).to.equal(bench.lock);
  });

  for (const { title, callback } of [
    {
      title: "throws",
      callback: () => {
        throw new TypeError("own");
      },
    },
    { title: "rejects with", callback: () => Promise.reject(new TypeError("own")) },
  ]) {
    it(`passes on the very error that the callback ${title}, behind the release`, async () => {
      const bench = new RequestBench();
      const running = rejectionWith(TypeError, bench.run(callback));
      await bench.answerRelease();
      expect((await running).message).to.equal("own");
    });
  }

  it("rejects with the loss, carrying the result of a callback that went on", async () => {
    const bench = new RequestBench();
    const running = rejectionWith(
      LockLostError,
      bench.run(async () => {
        bench.lose();
        return "done anyhow";
      }),
    );
    expect(await running).to.include({
      reason: "expired",
      result: "done anyhow",
      lockName: "invoice",
    });
  });

  it("rejects with the loss, carrying the callback's own error as its cause", async () => {
    const bench = new RequestBench();
    const own = new Error("own");
    const running = rejectionWith(
      LockLostError,
      bench.run(() => {
        bench.lose();
        throw own;
      }),
    );
    expect((await running).cause).to.equal(own);
  });

  it("rejects with the signal's own reason where the callback passed that on", async () => {
    const bench = new RequestBench();
    const running = rejectionOf(
      bench.run((lock) => {
        bench.lose();
        lock.signal.throwIfAborted();
      }),
    );
    const error = await running;
    expect(error).to.equal(bench.lock.signal.reason);
    expect(error).to.not.have.property("cause");
  });

  it("does not wait for a callback that ignores the loss", async () => {
    const bench = new RequestBench();
    const running = rejectionWith(
      LockLostError,
      bench.run(() => NEVER, 1),
    );
    await settle();
    bench.lose();
    const error = await running;
    expect(error).to.equal(bench.lock.signal.reason);
    expect(error).to.not.have.any.keys("result", "cause");
  });

  it("does not wait for a callback that lost it before it first waited", async () => {
    const bench = new RequestBench();
    const running = rejectionWith(
      LockLostError,
      bench.run(() => {
        bench.lose();
        return NEVER;
      }, 1),
    );
    bench.bench.clock.advance(1);
    expect(await running).to.include({ reason: "expired" });
  });

  it("hears of the loss, whatever a listener of the callback does with the event", async () => {
    const bench = new RequestBench();
    const running = rejectionWith(
      LockLostError,
      bench.run(({ signal }) => {
        signal.addEventListener("abort", (event) => event.stopImmediatePropagation());
        return NEVER;
      }, 1),
    );
    await settle();
    bench.lose();
    expect(await running).to.include({ reason: "expired" });
  });

  it("tells a callback that returned nothing from one that did not end", async () => {
    const bench = new RequestBench();
    const error = await rejectionWith(
      LockLostError,
      bench.run(() => bench.lose()),
    );
    expect(error).to.have.property("result", undefined);
    expect(Object.hasOwn(error, "result")).to.equal(true);
  });

  it("carries no result where the callback threw", async () => {
    const bench = new RequestBench();
    const error = await rejectionWith(
      LockLostError,
      bench.run(() => {
        bench.lose();
        throw new Error("own");
      }),
    );
    expect(error).to.not.have.property("result");
  });

  it("finds out about a loss that no timer told yet", async () => {
    const bench = new RequestBench();
    const running = rejectionWith(
      LockLostError,
      bench.run(() => {
        bench.bench.clock.stall(988);
        return "stalled";
      }),
    );
    expect(await running).to.include({ reason: "expired", result: "stalled" });
  });

  for (const { title, callback, told } of [
    { title: "result", callback: () => 42, told: { result: 42 } },
    {
      title: "error",
      callback: () => {
        throw NOT_FOUND;
      },
      told: { cause: NOT_FOUND },
    },
  ]) {
    it(`tells with the callback's ${title} that the release no longer found the lock`, async () => {
      const bench = new RequestBench();
      const running = rejectionWith(LockLostError, bench.run<number>(callback));
      await bench.answerRelease(free());
      expect(await running).to.include({ reason: "taken", ...told });
    });
  }

  it("returns the result where the key may have expired on the way of the release", async () => {
    const bench = new RequestBench();
    const running = bench.run(() => 42);
    await settle();
    bench.bench.clock.stall(988);
    await bench.answerRelease(free());
    expect(await running).to.equal(42);
  });

  it("leaves it to a callback that released the lock by itself what its release has found", async () => {
    const bench = new RequestBench();
    const running = bench.run((lock) => lock.release());
    await bench.answerRelease(free());
    expect(await running).to.equal("expired");
  });

  it("returns the result of a callback that released the lock by itself", async () => {
    const bench = new RequestBench();
    const running = bench.run((lock) => {
      void lock.release();
      return "released early";
    });
    await bench.answerRelease();
    expect(await running).to.equal("released early");
  });

  it("passes on the error of a callback that released the lock by itself", async () => {
    const bench = new RequestBench();
    const own = new Error("own");
    const running = rejectionOf(
      bench.run((lock) => {
        void lock.release();
        throw own;
      }),
    );
    await bench.answerRelease();
    expect(await running).to.equal(own);
  });

  for (const { title, end } of [
    { title: "released the lock", end: (lock: Lock) => void lock.release() },
    { title: "handed the lock over", end: (lock: Lock) => void lock.handOver() },
  ]) {
    it(`waits for a callback that has ${title}, however long it goes on`, async () => {
      const bench = new RequestBench();
      const work = withResolvers<string>();
      const running = bench.run((lock) => {
        end(lock);
        return work.promise;
      });
      await settle();
      bench.bench.clock.advance(5_000);
      work.resolve("done");
      await settle();
      if (title.startsWith("released")) await bench.answerRelease();
      expect(await running).to.equal("done");
      expect(bench.overruns).to.deep.equal([]);
    });
  }

  it("tells a loss to all requests that have joined the lock, without a signal", async () => {
    const bench = new RequestBench();
    const shared = new SharedLease(bench.bench.lease({ renew: false }));
    const running = [shared.join(), shared.join()].map((handle) => {
      const lock = new LeasedLock(handle, nodesOfLock(bench.bench));
      const host = { lossGraceMs: 1, clock: bench.bench.clock, onOverrun: () => {} };
      return rejectionWith(
        LockLostError,
        runLocked(lock, () => NEVER, host),
      );
    });
    bench.lose();
    for (const error of await Promise.all(running)) expect(error).to.include({ reason: "expired" });
  });

  it("tells the loss itself: the end of a scope in the callback does not throw it as well", async () => {
    const bench = new RequestBench();
    const work = withResolvers<void>();
    const running = rejectionWith(
      LockLostError,
      bench.run(async (lock) => {
        await work.promise;
        await lock[Symbol.asyncDispose]();
        return "cleaned up";
      }, 50),
    );
    bench.lose();
    work.resolve();
    expect(await running).to.include({ result: "cleaned up" });
  });

  it("sets no timer where it finds out itself about the loss when the callback has ended", async () => {
    const bench = new RequestBench();
    const { clock } = bench.bench;
    const running = rejectionWith(
      LockLostError,
      bench.run(async () => {
        await settle();
        clock.stall(988);
      }, 1_234),
    );
    await running;
    expect(clock.armedMs).to.not.include(1_234);
  });

  it("creates a signal only for a callback that asks for it", async () => {
    const { AbortController } = globalThis;
    let createdCount = 0;
    globalThis.AbortController = class extends AbortController {
      constructor() {
        super();
        createdCount++;
      }
    };
    try {
      for (const isAsked of [false, true]) {
        const bench = new RequestBench();
        const running = bench.run((lock) => isAsked && lock.signal.aborted);
        await bench.answerRelease();
        await running;
        expect(createdCount).to.equal(isAsked ? 1 : 0);
      }
    } finally {
      globalThis.AbortController = AbortController;
    }
  });

  describe("a callback that goes on after the loss", () => {
    it("is reported once its grace is over, and so is what it fails with later", async () => {
      const bench = new RequestBench();
      const work = withResolvers<void>();
      const running = rejectionWith(
        LockLostError,
        bench.run(() => work.promise, 50),
      );
      bench.lose();
      bench.bench.clock.advance(44);
      await settle();
      expect(bench.overruns).to.deep.equal([]);
      bench.bench.clock.advance(1);
      await running;
      expect(bench.overruns).to.have.length(1);
      expect(bench.overruns[0]).to.match(/request\("invoice"\) goes on 50 ms \(lossGraceMs\)/);
      work.reject(new TypeError("half done"));
      await settle();
      expect(bench.overruns).to.have.length(2);
      expect(bench.overruns[1]).to.match(/"invoice".* TypeError: half done$/);
    });

    it("is reported whatever it fails with", async () => {
      const bench = new RequestBench();
      const work = withResolvers<void>();
      const running = rejectionWith(
        LockLostError,
        bench.run(() => work.promise),
      );
      bench.lose();
      await running;
      work.reject(Object.create(null));
      await settle();
      expect(bench.overruns.at(-1)).to.match(/been rejected: an object$/);
    });

    it("is not reported again when it ends well, nor at all within its grace", async () => {
      const late = new RequestBench();
      const work = withResolvers<void>();
      const running = rejectionWith(
        LockLostError,
        late.run(() => work.promise),
      );
      late.lose();
      await running;
      work.resolve();
      await settle();
      expect(late.overruns).to.have.length(1);
      const stopped = withResolvers<void>();
      const soon = new RequestBench();
      const failing = rejectionWith(
        LockLostError,
        soon.run(() => stopped.promise, 50),
      );
      soon.lose();
      stopped.reject(new Error("stopped"));
      await failing;
      expect(soon.overruns).to.deep.equal([]);
    });
  });
});
