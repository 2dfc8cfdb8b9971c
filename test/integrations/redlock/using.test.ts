import { expect } from "chai";
import { LOSS_LEAD_MS } from "../../../src/protocol/lease-times.js";
import {
  ExecutionError,
  type RedlockAbortSignal,
} from "../../../src/integrations/redlock/execution.js";
import { runUsing } from "../../../src/integrations/redlock/using.js";
import { CoordinatorBench } from "../../support/coordinator-bench.js";
import { settle } from "../../support/manual-clock.js";
import { fault, free, granted } from "../../support/votes.js";

/** Of a lock of 1 s. */
const LEFT_MS = 988;

/** A routine that runs until it is told to end, on a lock that is not extended. */
class UsingBench extends CoordinatorBench {
  signal: RedlockAbortSignal | undefined;
  endRoutine = (): void => {};
  outcome: unknown;
  readonly lossError = new ExecutionError("no", []);

  async start(): Promise<RedlockAbortSignal> {
    const routine = async (signal: RedlockAbortSignal): Promise<string> => {
      this.signal = signal;
      await new Promise<void>((resolve) => (this.endRoutine = resolve));
      return "result";
    };
    const leases = [this.lease({ renew: true, renewBeforeMs: 300 })];
    void runUsing(leases, routine, () => this.lossError)
      .catch((error: unknown) => error)
      .then((outcome) => (this.outcome = outcome));
    await settle();
    return this.signal as RedlockAbortSignal;
  }
}

describe("the signal of using", () => {
  it("is aborted early enough for a timer that fires late", async () => {
    const bench = new UsingBench();
    const signal = await bench.start();
    let toldAtMs = 0;
    signal.addEventListener("abort", () => (toldAtMs = bench.clock.now()));
    const startedMs = bench.clock.now();
    bench.clock.advance(LEFT_MS);
    await settle();
    expect(toldAtMs - startedMs).to.equal(LEFT_MS - LOSS_LEAD_MS);
    expect(bench.lost).to.deep.equal(["expired"]);
  });

  for (const [how, ask] of [
    ["aborted", (signal: RedlockAbortSignal) => signal.aborted],
    ["throwIfAborted()", (signal: RedlockAbortSignal) => throws(() => signal.throwIfAborted())],
  ] as const) {
    it(`says so when it is asked, though the event loop stood still past the end (${how})`, async () => {
      const bench = new UsingBench();
      const signal = await bench.start();
      bench.clock.stall(LEFT_MS - 1);
      expect(ask(signal)).to.equal(false);
      bench.clock.stall(1);
      expect(ask(signal)).to.equal(true);
      expect(signal.error).to.equal(bench.lossError);
      bench.endRoutine();
      await settle();
      expect(bench.outcome).to.equal(signal.error);
    });
  }

  it("is asked that long before the end to extend the lock", async () => {
    const bench = new UsingBench();
    await bench.start();
    bench.clock.advance(LEFT_MS - 301);
    expect(bench.counts("extend")).to.deep.equal([0, 0, 0]);
    bench.clock.advance(1);
    expect(bench.counts("extend")).to.deep.equal([1, 1, 1]);
  });

  it("tells nothing more once the routine has ended, and the result is not hidden by silent nodes", async () => {
    const bench = new UsingBench();
    const signal = await bench.start();
    bench.endRoutine();
    await settle();
    bench.answer("release", [granted(), fault(), fault()]);
    bench.clock.advance(LEFT_MS);
    await settle();
    expect(signal.aborted).to.equal(false);
    expect(bench.outcome).to.equal("result");
  });

  it("was aborted too late where only the release finds that the lock was lost", async () => {
    const bench = new UsingBench();
    const signal = await bench.start();
    bench.endRoutine();
    await settle();
    bench.answer("release", [free(), free(), granted()]);
    await settle();
    expect(signal.aborted).to.equal(false);
    expect(bench.outcome).to.equal(bench.lossError);
  });
});

function throws(run: () => void): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}
