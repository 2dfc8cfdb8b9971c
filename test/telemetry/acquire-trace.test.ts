import { expect } from "chai";
import { failureOf } from "../../src/protocol/attempt-failure.js";
import {
  ClosedError,
  LockContendedError,
  LockLostError,
  OverloadedError,
  QueueFullError,
  QuorumUnreachableError,
  SplitError,
  ValidityExhaustedError,
  WaitTimeoutError,
} from "../../src/api/errors.js";
import { AcquireTrace, traceAcquire } from "../../src/telemetry/acquire-trace.js";
import { MAX_ATTEMPTS, type AcquireMessage } from "../../src/telemetry/messages.js";
import { KEYS } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { RecordedMessages } from "../support/recorded-messages.js";
import { rejectionOf } from "../support/settle.js";
import { fault, granted, held } from "../support/votes.js";

const REFUSED = failureOf("refused", [held(), held(), granted()]);
const TRIED = {
  ...{ waitedMs: 1, attemptCount: 1, marginMs: 0, heldNames: [] },
  ...{ isHeldHere: false, isReentrant: true },
};
const LOCK = { remainingMs: 900, fencingToken: 7 };

/** A trace of an acquire that waits, and what it publishes. */
class Bench implements Disposable {
  readonly clock = new ManualClock();
  readonly nodes = { clock: this.clock, names: ["a", "b", "c"] };
  readonly heard = new RecordedMessages();

  trace(signal?: AbortSignal): AcquireTrace {
    return new AcquireTrace(KEYS, 500, this.nodes, signal);
  }

  get channels(): string[] {
    return this.heard.all.map(({ channel }) => channel.replace("acquire ", ""));
  }

  /** As it was published at last. */
  get last(): AcquireMessage {
    const message = this.heard.of<AcquireMessage>("acquire asyncEnd").at(-1);
    if (message === undefined) throw new Error("it has not ended");
    return message;
  }

  [Symbol.dispose](): void {
    this.heard[Symbol.dispose]();
  }
}

describe("AcquireTrace", () => {
  it("publishes the call, then its end, when the outcome is known", async () => {
    using bench = new Bench();
    const trace = bench.trace();
    const result = traceAcquire(trace, async () => {
      bench.clock.advance(30);
      trace.onOutcome({ kind: "granted", lease: undefined as never }, 2);
      return LOCK;
    });
    expect(bench.channels).to.deep.equal(["start", "end"]);
    expect(await result).to.equal(LOCK);
    expect(bench.channels).to.deep.equal(["start", "end", "asyncStart", "asyncEnd"]);
    const outcomes = bench.heard.all.map(({ message }) => (message as AcquireMessage).outcome);
    expect(outcomes).to.deep.equal([undefined, undefined, "granted", "granted"]);
    const { waitedMs, waitMs, attemptCount, fencingToken, validMs } = bench.last;
    expect({ waitedMs, waitMs, attemptCount, fencingToken, validMs }).to.deep.equal({
      ...{ waitedMs: 30, waitMs: 500, attemptCount: 2, fencingToken: 7, validMs: 900 },
    });
  });

  it("publishes an error before its end, and rejects with that", async () => {
    using bench = new Bench();
    const why = new Error("its own");
    expect(await rejectionOf(traceAcquire(bench.trace(), () => Promise.reject(why)))).to.equal(why);
    expect(bench.channels).to.deep.equal(["start", "end", "error", "asyncStart", "asyncEnd"]);
    expect(bench.last).to.include({ error: why, outcome: "error", fencingToken: undefined });
  });

  it("lists the attempts that failed and have asked nodes, and counts the last one", () => {
    using bench = new Bench();
    const trace = bench.trace();
    trace.onSetback(REFUSED);
    bench.clock.advance(20);
    trace.onOutcome(failureOf("unreachable", [fault("timeout"), undefined, granted()]), 2);
    const { attempts, attemptCount } = trace.message;
    expect(attemptCount).to.equal(2);
    const nowMs = bench.clock.wallUs() / 1_000;
    expect(attempts).to.deep.equal([
      { outcome: "refused", tally: "1/3 granted, 2 refused", atMs: nowMs - 20 },
      { outcome: "unreachable", tally: "1/3 granted, 1 timed out", atMs: nowMs },
    ]);
    // The last is what a call is told whose time is up before it could ask again.
    for (const last of [failureOf("queued", []), { kind: "aborted" } as const, REFUSED]) {
      const other = bench.trace();
      other.onSetback(REFUSED);
      other.onOutcome(last, 1);
      expect(other.message.attempts.map(({ outcome }) => outcome)).to.deep.equal(["refused"]);
      expect(other.message.attemptCount).to.equal(1);
    }
  });

  it("lists a failure once that is told in place of a later one", () => {
    using bench = new Bench();
    const trace = bench.trace();
    trace.onSetback(REFUSED);
    trace.onSetback(failureOf("split", [granted(), undefined, undefined]));
    trace.onOutcome(REFUSED, 3);
    const outcomes = trace.message.attempts.map(({ outcome }) => outcome);
    expect(outcomes).to.deep.equal(["refused", "split"]);
  });

  it("lists the last of many attempts, and counts all", () => {
    using bench = new Bench();
    const trace = bench.trace();
    const startMs = bench.clock.wallUs() / 1_000;
    for (let count = 1; count <= MAX_ATTEMPTS + 5; count++) {
      bench.clock.advance(1);
      trace.onSetback(REFUSED);
    }
    const { attempts, attemptCount } = trace.message;
    expect(attemptCount).to.equal(MAX_ATTEMPTS + 5);
    expect(attempts.map(({ atMs }) => atMs - startMs)).to.deep.equal(
      Array.from({ length: MAX_ATTEMPTS }, (_, index) => index + 6),
    );
  });

  const reason = new ClosedError("of the caller");
  for (const { error, outcome } of [
    { error: new LockContendedError("a", []), outcome: "contended" },
    {
      error: new QueueFullError("a", [], TRIED, { waitingCount: 3, maxWaiters: 3 }),
      outcome: "contended",
    },
    { error: new WaitTimeoutError("a", [], TRIED), outcome: "timeout" },
    { error: new QuorumUnreachableError("a", []), outcome: "unreachable" },
    { error: new SplitError("a", []), outcome: "split" },
    { error: new ValidityExhaustedError("a", []), outcome: "exhausted" },
    { error: new ClosedError("a"), outcome: "aborted" },
    { error: new LockLostError("a", "stolen"), outcome: "aborted" },
    { error: new OverloadedError("a", 1), outcome: "error" },
    { error: new TypeError("of ours"), outcome: "error" },
    { error: undefined, outcome: "error" },
  ] as const) {
    it(`calls it ${outcome}: ${error?.name}`, () => {
      using bench = new Bench();
      bench.trace().onError(error);
      expect(bench.last.outcome).to.equal(outcome);
      // The signal has nothing to do with it.
      bench.trace(AbortSignal.abort(reason)).onError(error);
      expect(bench.last.outcome).to.equal(outcome);
      const controller = new AbortController();
      bench.trace(controller.signal).onError(error);
      expect(bench.last.outcome, "not aborted").to.equal(outcome);
    });
  }

  it("calls it aborted, whatever the reason of its signal is", () => {
    for (const why of [new QuorumUnreachableError("a", []), "a string", new Error("no")]) {
      using bench = new Bench();
      bench.trace(AbortSignal.abort(why)).onError(why);
      expect(bench.last.outcome).to.equal("aborted");
    }
  });
});
