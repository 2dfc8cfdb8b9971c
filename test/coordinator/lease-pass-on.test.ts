import { expect } from "chai";
import type { AcquireOutcome } from "../../src/coordinator/acquire.js";
import type { Lease } from "../../src/coordinator/lease.js";
import { FENCE_STEP } from "../../src/protocol/fencing.js";
import { MAX_PASS_ONS, MAX_RUN_MS } from "../../src/protocol/pass-on-run.js";
import type { Vote } from "../../src/protocol/operation.js";
import { CoordinatorBench, stateOf } from "../support/coordinator-bench.js";
import { at } from "../support/nodes.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, granted } from "../support/votes.js";

const INBOX = "i".padEnd(22, "_");
const LEASE = { renew: false, ttlMs: 60_000 };
const WAIT = { waitMs: 60_000, maxDelayMs: 20_000, fair: true };
const FENCE = 7 * FENCE_STEP;

function leaseOf(outcomes: readonly AcquireOutcome[]): Lease {
  const outcome = outcomes.at(-1);
  if (outcome?.kind !== "granted") throw new Error(`not granted but ${outcome?.kind}`);
  return outcome.lease;
}

/**
 * A lock that one of this process has, while so many others stand in its wait queue.
 *
 * @param votes on its acquire
 */
function waitQueueOf(
  waiterCount: number,
  { next = {}, isWaitedFor = true, own = {}, votes = [0, 1, 2] } = {},
) {
  const port = { id: INBOX, isHeard: true, listen: () => {} };
  const bench = new CoordinatorBench(3, new ManualClock(), port);
  const first = bench.acquire({ ...LEASE, ...own }, WAIT);
  const waiting = Array.from({ length: waiterCount }, () =>
    bench.acquire({ ...LEASE, ...next }, WAIT),
  );
  const vote: Vote = { kind: "granted", fence: FENCE, isHandedOver: false, isWaitedFor };
  bench.answer(
    "acquire",
    [0, 1, 2].map((index) => (votes.includes(index) ? vote : undefined)),
  );
  return { bench, first: leaseOf(first.outcomes), waiting };
}

/** Releases from hand to hand for as long as the nodes hear nothing of it. @returns all that had it */
function chain(
  { bench, first, waiting }: ReturnType<typeof waitQueueOf>,
  afterMs = 0,
): readonly Lease[] {
  const leases = [first];
  for (const { outcomes } of waiting) {
    bench.clock.advance(afterMs);
    void leases.at(-1)?.release();
    if (outcomes.length === 0) break;
    leases.push(leaseOf(outcomes));
  }
  return leases;
}

describe("A lock that is passed on within its process", () => {
  it("goes on for the next one without a word to the nodes", async () => {
    const { bench, first, waiting } = waitQueueOf(2);
    const before = bench.nodes.map((node) => node.asks.length);
    const released = first.release();
    expect([first.isHeld(), first.state, first.remainingMs]).to.deep.equal([false, "released", 0]);
    const next = leaseOf(waiting[0]?.outcomes ?? []);
    expect(next.isHeld()).to.equal(true);
    expect(next.ownerId).to.equal(first.ownerId);
    expect(next.validUntilMs).to.equal(first.validUntilMs);
    expect(next.fencingToken).to.equal(FENCE + 1);
    expect(await stateOf(released)).to.equal("released");
    expect(await stateOf(first.release())).to.equal("released");
    expect(bench.nodes.map((node) => node.asks.length)).to.deep.equal(before);
    expect(waiting[1]?.outcomes).to.deep.equal([]);
  });

  it("does not go on for one that came later, although tickets have moved back since", () => {
    const { bench, first, waiting } = waitQueueOf(1);
    bench.clock.stepWall(-9_000);
    bench.context.waitQueues.move(-9_000_000);
    const later = bench.acquire(LEASE, WAIT);
    chain({ bench, first, waiting: [...waiting, later] });
    expect(later.outcomes).to.deep.equal([]);
  });

  it("has one token after the other, all of them below the next fence", () => {
    const tokens = chain(waitQueueOf(MAX_PASS_ONS + 4)).map((lease) => lease.fencingToken);
    expect(tokens).to.deep.equal(Array.from({ length: MAX_PASS_ONS + 1 }, (_, at) => FENCE + at));
    expect(tokens.at(-1)).to.be.below(FENCE + FENCE_STEP);
  });

  it("is released by the last, with its fence", () => {
    const { bench, first, waiting } = waitQueueOf(1);
    void first.release();
    bench.clock.advance(1);
    void leaseOf(waiting[0]?.outcomes ?? []).release();
    for (const node of bench.nodes) {
      const { operation, mayHold } = node.last("release");
      expect(node.all("release")).to.have.length(1);
      expect(operation).to.include({ ownerId: first.ownerId, fence: FENCE });
      expect(mayHold).to.equal(true);
    }
  });

  it("is lost by the next one, of whom alone that is told", () => {
    const lost: string[] = [];
    const { bench, first, waiting } = waitQueueOf(1);
    first.onLost = (reason) => lost.push(reason);
    void first.release();
    bench.clock.advance(70_000);
    expect(lost).to.deep.equal([]);
    expect(leaseOf(waiting[0]?.outcomes ?? []).state).to.equal("lost");
  });

  it("is renewed for the next one when that is due", () => {
    const renewed = { renew: true, ttlMs: 60_000 };
    const { bench, first, waiting } = waitQueueOf(1, { own: renewed, next: renewed });
    bench.clock.advance(50);
    void first.release();
    bench.clock.advance(19_960);
    expect(bench.counts("extend")).to.deep.equal([1, 1, 1]);
    bench.answer("extend", [granted(FENCE), granted(FENCE), granted(FENCE)]);
    expect(leaseOf(waiting[0]?.outcomes ?? []).remainingMs).to.be.above(55_000);
  });

  it("takes what a late node says of the one before: that one is healed no more", () => {
    const { bench, first } = waitQueueOf(1, { votes: [0, 1] });
    void first.release();
    bench.answer("acquire", [undefined, undefined, granted(FENCE)]);
    bench.clock.advance(1_000);
    expect(bench.counts("heal")).to.deep.equal([0, 0, 0]);
  });

  it("is healed where a node never had it", () => {
    const { bench, first } = waitQueueOf(1, { votes: [0, 1] });
    void first.release();
    bench.answer("acquire", [undefined, undefined, fault("timeout")]);
    bench.clock.advance(1_000);
    expect(bench.nodes[2]?.last("heal").operation).to.include({
      ...{ ownerId: first.ownerId, fence: FENCE },
    });
  });
});

describe("A lock is passed on", () => {
  it("to those who were there when it was granted, whether others wait or not", () => {
    for (const isWaitedFor of [true, false]) {
      const waitQueue = waitQueueOf(2, { isWaitedFor });
      waitQueue.waiting.push(waitQueue.bench.acquire(LEASE, WAIT));
      expect(chain(waitQueue)).to.have.length(3);
      const { operation } = at(waitQueue.bench.nodes, 0).last("release");
      expect(operation.waiter).to.include({ inbox: INBOX });
    }
  });

  it("so often in a row", () => {
    expect(chain(waitQueueOf(MAX_PASS_ONS + 4))).to.have.length(MAX_PASS_ONS + 1);
  });

  it("for some time after the grant", () => {
    expect(chain(waitQueueOf(8), MAX_RUN_MS / 4)).to.have.length(4);
  });

  for (const { title, own = {}, next = {} } of [
    { title: "wants another ttl", next: { ttlMs: 50_000 } },
    { title: "wants no renewal", own: { renew: true } },
    { title: "has another label", next: { label: "other" } },
    { title: "wants the name to stay closed after a loss", next: { lockDelayMs: 5 } },
    {
      title: "wants to hold it for some time at least",
      own: { minHoldMs: 1 },
      next: { minHoldMs: 1 },
    },
  ]) {
    it(`not to one that ${title}`, () => {
      const { bench, first, waiting } = waitQueueOf(1, { own, next });
      bench.clock.advance(5);
      void first.release();
      expect(waiting[0]?.outcomes).to.deep.equal([]);
      expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
    });
  }

  it("not to one that nodes may have in their queues: they choose", () => {
    const { bench, first, waiting } = waitQueueOf(1);
    // As another release of this process has put it there.
    expect(bench.context.waitQueues.of(first.keys)?.toSend()).to.include({ inbox: INBOX });
    void first.release();
    expect(waiting[0]?.outcomes).to.deep.equal([]);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("nor after a request that steals the name has taken its acquire away from them, and not its place", () => {
    const { bench, first, waiting } = waitQueueOf(1);
    bench.context.waitQueues.of(first.keys)?.toSend();
    waiting[0]?.pendingAcquire.yieldTo(first.keys.lockKey);
    void first.release();
    expect(waiting[0]?.outcomes).to.deep.equal([]);
    for (const node of bench.nodes) {
      const owners = node.all("release").map(({ operation }) => operation.ownerId);
      expect(owners).to.include(first.ownerId);
    }
  });

  it("not where nobody of the process waits any more", () => {
    const { bench, first, waiting } = waitQueueOf(1);
    waiting[0]?.abort();
    void first.release();
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("not if nodes have notified the process while it was held: they may have ended it", () => {
    const { bench, first, waiting } = waitQueueOf(1);
    first.takeTurn(0, { inbox: INBOX, ticket: 0, turnMs: 20 });
    void first.release();
    expect(waiting[0]?.outcomes).to.deep.equal([]);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("not if it was extended: what that brings is for whoever asked for it", () => {
    const { bench, first, waiting } = waitQueueOf(1);
    void first.extend();
    void first.release();
    expect(waiting[0]?.outcomes).to.deep.equal([]);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("not if it proclaims something, which ends with it", () => {
    const { bench, first, waiting } = waitQueueOf(1);
    void first.proclaim("here");
    void first.release();
    expect(waiting[0]?.outcomes).to.deep.equal([]);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("not if it is lost, or its manager closes", () => {
    const lost = waitQueueOf(1);
    while (lost.first.isHeld()) lost.bench.clock.advance(1_000);
    void lost.first.release();
    for (const node of lost.bench.nodes) {
      const owners = node.all("release").map(({ operation }) => operation.ownerId);
      expect(owners).to.include(lost.first.ownerId);
    }
    const closed = waitQueueOf(1);
    void closed.first.close();
    expect(closed.bench.counts("release")).to.deep.equal([1, 1, 1]);
    expect(closed.waiting[0]?.outcomes).to.deep.equal([]);
  });
});
