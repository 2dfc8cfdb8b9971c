import { expect } from "chai";
import type { Acquire } from "../../src/coordinator/acquire.js";
import type { VoteFor } from "../../src/coordinator/ports.js";
import { gatherMs } from "../../src/protocol/node-grant.js";
import type { Vote } from "../../src/protocol/operation.js";
import {
  CoordinatorBench,
  heardInbox,
  KEYS,
  leaseSettings,
  type Acquired,
} from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, granted, held } from "../support/votes.js";

const GATHER_MS = gatherMs(leaseSettings().nodeTimeoutMs, undefined);
const HELD = [held(60_000), held(60_000), held(60_000)];

/** A waiter in the queues of three nodes, which has left its acquire there. */
class Bench {
  readonly bench = new CoordinatorBench(3, new ManualClock(), heardInbox());
  readonly outcomes: Acquired[];
  readonly acquire: Acquire;

  /** @param votes on its last attempt */
  constructor(votes: readonly (Vote | undefined)[] = HELD) {
    const { pendingAcquire, outcomes } = this.bench.acquire({}, { waitMs: 10_000 });
    this.acquire = pendingAcquire;
    this.outcomes = outcomes;
    for (const each of [HELD, votes]) {
      this.bench.answer("acquire", each);
      this.bench.clock.advance(0);
    }
  }

  /** Whose acquire the nodes would execute now. */
  get deferred(): string | undefined {
    const asked = this.bench.nodes[1]?.asks.findLast(({ operation }) => "waiter" in operation);
    const { operation } = asked ?? {};
    return operation !== undefined && "waiter" in operation
      ? operation.waiter?.deferred?.ownerId
      : undefined;
  }

  /** A node has executed it, and relied on a call that was sent so long ago. */
  grant(index: number, agoMs = 0, ownerId = this.deferred): void {
    const { clock, context } = this.bench;
    const sentMs = clock.now() - agoMs;
    const vote = { kind: "granted", fence: 7, isWaitedFor: false } as const;
    const voteFor: VoteFor = (of) => (of === ownerId ? { vote, sentMs } : undefined);
    context.waitQueues.onGrant(index, KEYS, voteFor);
    clock.advance(0);
  }

  get lease() {
    const [outcome] = this.outcomes;
    return outcome?.kind === "granted" ? outcome.lease : undefined;
  }
}

describe("Grants by message", () => {
  it("of a quorum make the lock, without a call, valid from the earliest call", () => {
    const waiting = new Bench();
    const { bench, deferred } = waiting;
    const asked = bench.counts("acquire");
    waiting.grant(0, 30);
    expect(waiting.lease).to.equal(undefined);
    waiting.grant(1, 50);
    expect(waiting.lease?.ownerId).to.equal(deferred);
    expect(waiting.lease?.validUntilMs).to.equal(bench.clock.now() - 50 + 988);
    expect(bench.counts("acquire")).to.deep.equal(asked);
  });

  it("of fewer let it ask the others after a moment, under the same owner", () => {
    const waiting = new Bench();
    const { bench, deferred } = waiting;
    const asked = bench.counts("acquire");
    waiting.grant(0);
    bench.clock.advance(GATHER_MS - 1);
    expect(bench.counts("acquire")).to.deep.equal(asked);
    bench.clock.advance(1);
    const others = asked.map((count, index) => (index === 0 ? count : count + 1));
    expect(bench.counts("acquire")).to.deep.equal(others);
    expect(bench.nodes[2]?.last("acquire").operation.ownerId).to.equal(deferred);
    bench.nodes[2]?.answer("acquire", granted(7));
    expect(waiting.lease?.ownerId).to.equal(deferred);
  });

  it("count for the owner that has taken the place of one that is rolled back", () => {
    const waiting = new Bench([held(60_000), fault("timeout"), undefined]);
    const { bench, deferred } = waiting;
    const rolledBack = bench.nodes[1]?.last("release").operation.ownerId;
    expect(waiting.acquire.attempt?.isLost).to.equal(true);
    expect(deferred).not.to.equal(rolledBack);
    waiting.grant(0, 0, rolledBack);
    expect(waiting.acquire.attempt?.isLost).to.equal(true);
    for (const index of [0, 1]) waiting.grant(index, 0, deferred);
    expect(waiting.lease?.ownerId).to.equal(deferred);
  });
});
