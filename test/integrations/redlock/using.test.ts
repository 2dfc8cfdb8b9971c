import { expect } from "chai";
import { EventEmitter } from "node:events";
import { keysOf } from "../../../src/kinds/exclusive.js";
import { LOSS_LEAD_MS } from "../../../src/protocol/validity.js";
import { ExecutionError } from "../../../src/integrations/redlock/errors.js";
import type { RedlockAbortSignal } from "../../../src/integrations/redlock/execution.js";
import {
  leases,
  leaseSettings,
  LeaseState,
} from "../../../src/integrations/redlock/lease-state.js";
import { Lock, type Locker } from "../../../src/integrations/redlock/lock.js";
import { DEFAULT_SETTINGS } from "../../../src/integrations/redlock/settings.js";
import { runUsing } from "../../../src/integrations/redlock/using.js";
import { CoordinatorBench } from "../../support/coordinator-bench.js";
import { settle } from "../../support/manual-clock.js";

const LEFT_MS = 900;

/** A routine that runs until it is told to end, on a lock that has 900 ms left, and is not extended. */
class UsingBench extends CoordinatorBench {
  signal: RedlockAbortSignal | undefined;
  endRoutine = (): void => {};
  error: unknown;
  /** Why it cannot be extended, nor released. */
  readonly unreachable = new ExecutionError("no", []);

  async start(): Promise<RedlockAbortSignal> {
    const { context, clock } = this;
    const validUntilMs = clock.now() + LEFT_MS;
    const settings = leaseSettings(1_000, DEFAULT_SETTINGS);
    const state = new LeaseState([keysOf("", "a")], "me", { context, settings, validUntilMs });
    const { unreachable } = this;
    const locker = Object.assign(new EventEmitter(), {
      extend: () => Promise.reject(unreachable),
      release: () => Promise.reject(unreachable),
    }) as unknown as Locker;
    const lock = new Lock(locker, ["a"], "me", [], state.expiration);
    leases.set(lock, state);
    const routine = async (signal: RedlockAbortSignal): Promise<void> => {
      this.signal = signal;
      await new Promise<void>((resolve) => (this.endRoutine = resolve));
    };
    runUsing(lock, 1_000, DEFAULT_SETTINGS, routine).catch((error: unknown) => {
      this.error = error;
    });
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
      expect(signal.error).to.be.instanceOf(ExecutionError);
      bench.endRoutine();
      await settle();
      expect(bench.error).to.equal(signal.error);
    });
  }

  it("tells why the lock was not extended, and so does the rejection", async () => {
    const bench = new UsingBench();
    const signal = await bench.start();
    await bench.clock.run(LEFT_MS, 10);
    expect(signal.aborted).to.equal(true);
    expect(signal.error).to.equal(bench.unreachable);
    bench.endRoutine();
    await settle();
    expect(bench.error).to.equal(bench.unreachable);
  });

  it("tells nothing more once the routine has ended", async () => {
    const bench = new UsingBench();
    const signal = await bench.start();
    bench.endRoutine();
    await settle();
    bench.clock.advance(LEFT_MS);
    expect(signal.aborted).to.equal(false);
    expect(bench.error).to.equal(undefined);
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
