import { expect } from "chai";
import type { AcquireOutcome } from "../../src/coordinator/acquire.js";
import type { Lease } from "../../src/coordinator/lease.js";
import { MAX_PASS_ONS, MAX_RUN_MS } from "../../src/protocol/pass-on-run.js";
import type { OperationOf, Vote } from "../../src/protocol/operation.js";
import { CoordinatorBench, stateOf } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, free, granted, held } from "../support/votes.js";
import { reservedBy } from "../../src/kinds/reserved.js";

const INBOX = "i".padEnd(22, "_");
const LEASE = { renew: false, ttlMs: 60_000 };
const WAIT = { waitMs: 60_000, maxDelayMs: 20_000, fair: true };

const handed = (fence = 8, isWaitedFor = true): Vote => {
  return { kind: "granted", fence, isHandedOver: true, isWaitedFor };
};
const taken = (fence = 8): Vote => {
  return { kind: "granted", fence, isHandedOver: false, isWaitedFor: true };
};

function leaseOf(outcomes: readonly AcquireOutcome[]): Lease {
  const outcome = outcomes.at(-1);
  if (outcome?.kind !== "granted") throw new Error(`not granted but ${outcome?.kind}`);
  return outcome.lease;
}

/** A lock that one of this process has, while so many others stand in its wait queue. */
function waitQueueOf(
  waiterCount: number,
  { inbox = true, next = {}, isWaitedFor = true, own = {} } = {},
) {
  const port = { id: INBOX, isHeard: true, listen: () => {} };
  const bench = new CoordinatorBench(3, new ManualClock(), inbox ? port : undefined);
  const first = bench.acquire({ ...LEASE, ...own }, WAIT);
  const waiting = Array.from({ length: waiterCount }, () =>
    bench.acquire({ ...LEASE, ...next }, WAIT),
  );
  const vote: Vote = { kind: "granted", fence: 7, isHandedOver: false, isWaitedFor };
  bench.answer("acquire", [vote, vote, vote]);
  const lastOf = <Kind extends "acquire" | "release">(kind: Kind): OperationOf<Kind> => {
    const [node] = bench.nodes;
    if (node === undefined) throw new Error("no node");
    return node.last(kind).operation;
  };
  return { bench, first: leaseOf(first.outcomes), waiting, lastOf };
}

/** Releases from hand to hand for as long as that is a hand-over, and says how often it was. */
function chain(
  { bench, first, waiting }: ReturnType<typeof waitQueueOf>,
  vote: Vote,
  afterMs = 0,
): number {
  let lease = first;
  let count = 0;
  for (const { outcomes } of waiting) {
    bench.clock.advance(afterMs);
    const before = bench.counts("release")[0];
    void lease.release();
    if (bench.counts("release")[0] !== before) return count;
    bench.answer("acquire", [vote, vote, vote]);
    lease = leaseOf(outcomes);
    count++;
  }
  return count;
}

/** Lets the pause pass, up to the first send of the next attempt. */
function toNextAttempt(bench: CoordinatorBench): void {
  const before = bench.counts("acquire")[0];
  while (bench.counts("acquire")[0] === before) bench.clock.advance(1);
}

describe("A hand-over", () => {
  it("is one round: the acquire of the next one takes the lock from the one before", async () => {
    const { bench, first, waiting, lastOf } = waitQueueOf(1);
    const released = first.release();
    expect(first.isHeld()).to.equal(false);
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
    const { previous, waiter, ownerId } = lastOf("acquire");
    expect(previous).to.deep.equal({ ownerId: first.ownerId, token: 7 });
    expect(waiter).to.include({ inbox: INBOX });
    expect(ownerId).to.not.equal(first.ownerId);
    bench.answer("acquire", [handed(), handed(), undefined]);
    expect(await stateOf(released)).to.equal("released");
    expect(leaseOf(waiting[0]?.outcomes ?? [])).to.include({ ownerId, fencingToken: 8 });
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
  });

  it("counts validity from its own first send", () => {
    const { bench, first, waiting } = waitQueueOf(1, { next: { ttlMs: 1_000 } });
    bench.clock.advance(50);
    const sentMs = bench.clock.now();
    void first.release();
    bench.clock.advance(10);
    bench.answer("acquire", [handed(), handed(), handed()]);
    expect(leaseOf(waiting[0]?.outcomes ?? []).validUntilMs).to.equal(sentMs + 988);
  });

  for (const { title, votes, result } of [
    { title: "a quorum had its key", votes: [handed(), handed(), held()], result: "released" },
    { title: "a quorum had not", votes: [taken(), held(), handed()], result: "expired" },
    { title: "too few answer", votes: [handed(), undefined, undefined], result: "partial" },
    { title: "too few know", votes: [handed(), taken(), undefined], result: "partial" },
  ]) {
    it(`is as much of a release as it was one: ${result} where ${title}`, async () => {
      const { bench, first } = waitQueueOf(1);
      const released = first.release();
      bench.answer("acquire", votes);
      bench.clock.advance(50);
      expect(await stateOf(released)).to.equal(result);
    });
  }

  for (const kind of ["quarantined", "server", "disconnected", "suspected"] as const) {
    for (const sent of [true, false]) {
      it(`is followed by a release where the vote is a fault (${kind}, sent: ${sent})`, async () => {
        const { bench, first } = waitQueueOf(1);
        const released = first.release();
        bench.answer("acquire", [undefined, fault(kind, sent), handed()]);
        expect(bench.counts("release")).to.deep.equal([0, 1, 0]);
        const ask = bench.nodes[1]?.last("release");
        expect(ask?.mayHold).to.equal(true);
        expect(ask?.operation).to.include({ ownerId: first.ownerId, fence: 7 });
        bench.answer("release", [undefined, granted()]);
        expect(await stateOf(released)).to.equal("released");
      });
    }
  }

  it("proves nothing by a release that finds nothing behind it", async () => {
    for (const { sent, result } of [
      { sent: true, result: "partial" },
      { sent: false, result: "expired" },
    ]) {
      const { bench, first } = waitQueueOf(1);
      const released = first.release();
      bench.answer("acquire", [fault("server", sent), fault("server", sent)]);
      for (const node of bench.nodes.slice(0, 2)) node.all("release")[0]?.reply(free());
      bench.clock.advance(50);
      expect(await stateOf(released)).to.equal(result);
    }
  });

  it("that fails takes back both, and the next one goes on waiting", () => {
    const { bench, first, waiting } = waitQueueOf(1);
    void first.release();
    const [, second] = bench.nodes[0]?.all("acquire") ?? [];
    bench.answer("acquire", [handed(), held(), held()]);
    const owners = bench.nodes.map((node) =>
      node.all("release").map((ask) => ask.operation.ownerId),
    );
    const next = second?.operation.ownerId;
    // Where it was refused, its acquire is deferred.
    expect(owners).to.deep.equal([[next], [next], [next]]);
    expect(waiting[0]?.outcomes).to.deep.equal([]);
    toNextAttempt(bench);
    expect(bench.nodes[0]?.last("acquire").operation.previous).to.equal(undefined);
  });

  it("that nobody answers takes back both on all nodes, that of the previous owner first", () => {
    const { bench, first } = waitQueueOf(1);
    void first.release();
    bench.clock.advance(50);
    for (const node of bench.nodes) {
      const [previous, next] = node.all("release");
      expect(previous?.operation.ownerId).to.equal(first.ownerId);
      expect(next?.operation.ownerId).to.equal(node.all("acquire")[1]?.operation.ownerId);
      expect([previous?.mayHold, next?.mayHold]).to.deep.equal([true, true]);
    }
  });

  it("whose next one gives up takes back both", () => {
    const { bench, first, waiting } = waitQueueOf(1);
    void first.release();
    bench.answer("acquire", [handed()]);
    const second = bench.nodes[0]?.last("acquire").operation.ownerId;
    waiting[0]?.abort();
    const released = bench.nodes.map((node) =>
      node.all("release").map(({ operation }) => operation.ownerId),
    );
    const both = [first.ownerId, second];
    expect(released).to.deep.equal([[second], both, both]);
  });

  it("reaches a node that answers late: with a release if it has not let go", () => {
    const { bench, first } = waitQueueOf(1);
    void first.release();
    bench.answer("acquire", [handed(), handed()]);
    bench.answer("acquire", [undefined, undefined, fault("disconnected")]);
    expect(bench.counts("release")).to.deep.equal([0, 0, 1]);
  });

  for (const { title, next, token, fence } of [
    { title: "to one without", next: { fencing: false }, token: 7, fence: undefined },
    { title: "to one with", next: {}, token: 7, fence: "number" },
  ]) {
    it(`carries the token of the one before ${title} fencing`, () => {
      const { first, lastOf } = waitQueueOf(1, { next });
      void first.release();
      expect(lastOf("acquire").previous?.token).to.equal(token);
      expect(typeof lastOf("acquire").fence).to.equal(fence ?? "undefined");
    });
  }

  it("has nothing of the one before behind it", () => {
    const { bench, first } = waitQueueOf(1);
    void first.extend();
    void first.release();
    const before = bench.nodes.map((node) => node.asks.length);
    bench.answer("extend", [granted(), granted(), free()]);
    bench.clock.advance(49);
    expect(bench.nodes.map((node) => node.asks.length)).to.deep.equal(before);
  });
});

describe("Hand-overs in a row", () => {
  it("end while others wait, so that their turn comes", () => {
    const waitQueue = waitQueueOf(MAX_PASS_ONS + 4);
    expect(chain(waitQueue, handed())).to.equal(MAX_PASS_ONS);
    const { waiter } = waitQueue.lastOf("release");
    expect(waiter).to.include({ inbox: INBOX });
  });

  it("end some time after the first", () => {
    expect(chain(waitQueueOf(8), handed(), MAX_RUN_MS / 4)).to.equal(3);
  });

  it("do not end while nobody else waits", () => {
    expect(chain(waitQueueOf(3 * MAX_PASS_ONS), handed(8, false), 10)).to.equal(3 * MAX_PASS_ONS);
  });

  it("go to those who were there at the beginning", () => {
    const waitQueue = waitQueueOf(2);
    waitQueue.waiting.push(waitQueue.bench.acquire(LEASE, WAIT));
    expect(chain(waitQueue, handed())).to.equal(2);
    const again = waitQueueOf(2);
    again.waiting.push(again.bench.acquire(LEASE, WAIT));
    expect(chain(again, handed(8, false)), "while nobody else waits").to.equal(3);
  });

  it("go to one who came later, as long as nobody is known to wait", () => {
    const waitQueue = waitQueueOf(0, { isWaitedFor: false });
    waitQueue.waiting.push(waitQueue.bench.acquire(LEASE, WAIT));
    waitQueue.bench.answer("acquire", [held(60_000), held(60_000), held(60_000)]);
    expect(chain(waitQueue, handed())).to.equal(1);
  });

  it("count those from the first that finds others waiting", () => {
    const waitQueue = waitQueueOf(MAX_PASS_ONS + 4, { isWaitedFor: false });
    expect(chain(waitQueue, handed())).to.equal(MAX_PASS_ONS);
  });

  it("are none where the lock was held for long: somebody may have come", () => {
    expect(chain(waitQueueOf(2, { isWaitedFor: false }), handed(8, false), MAX_RUN_MS)).to.equal(0);
  });

  it("begin anew when the lock was had from the nodes", () => {
    const waitQueue = waitQueueOf(MAX_PASS_ONS + 3);
    chain(waitQueue, handed());
    const { bench, waiting } = waitQueue;
    bench.context.waitQueues.onTurn(
      0,
      reservedBy({ lockKey: "lock:invoice", placePrefix: "", turnMs: 20 }),
      20,
    );
    bench.context.waitQueues.onTurn(
      1,
      reservedBy({ lockKey: "lock:invoice", placePrefix: "", turnMs: 20 }),
      20,
    );
    bench.answer("acquire", [granted(30), granted(30), granted(30)]);
    const before = bench.counts("release");
    void leaseOf(waiting[MAX_PASS_ONS]?.outcomes ?? []).release();
    expect(bench.counts("release")).to.deep.equal(before);
    expect(bench.counts("acquire")[0]).to.equal(MAX_PASS_ONS + 3);
  });
});

describe("A release", () => {
  it("is none where the next one is just asking", () => {
    const { bench, first } = waitQueueOf(1);
    toNextAttempt(bench);
    expect(bench.counts("acquire")).to.deep.equal([2, 2, 2]);
    void first.release();
    expect(bench.counts("acquire")).to.deep.equal([2, 2, 2]);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("is none where nobody of the process waits any more", () => {
    const { bench, first, waiting } = waitQueueOf(1);
    waiting[0]?.abort();
    void first.release();
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
  });

  for (const { afterMs, isHandedOver } of [
    { afterMs: 0, isHandedOver: false },
    // Its clock may be faster than real time by 1 %.
    { afterMs: 50.4, isHandedOver: false },
    { afterMs: 50.5, isHandedOver: true },
  ]) {
    it(`is ${isHandedOver ? "one" : "none"} after ${afterMs} of 50 ms for which the name has to be held`, () => {
      const { bench, first, lastOf } = waitQueueOf(1, { own: { minHoldMs: 50 } });
      bench.clock.advance(afterMs);
      void first.release();
      const count = isHandedOver ? 0 : 1;
      expect(bench.counts("release")).to.deep.equal([count, count, count]);
      if (isHandedOver) expect(lastOf("acquire").previous).to.include({ ownerId: first.ownerId });
      else expect(lastOf("release").keepMs).to.be.above(50 - afterMs);
    });
  }

  it("is none without an inbox", () => {
    const { bench, first } = waitQueueOf(1, { inbox: false });
    void first.release();
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("is none of a lock that was lost, or whose manager closes", () => {
    const lost = waitQueueOf(1);
    const asked = lost.bench.counts("acquire");
    while (lost.first.isHeld()) lost.bench.clock.advance(1_000);
    void lost.first.release();
    const asks = lost.bench.nodes.flatMap((node) => node.all("acquire"));
    expect(asks.length).to.be.above(asked.length);
    expect(asks.filter(({ operation }) => operation.previous !== undefined)).to.deep.equal([]);
    const owners = lost.bench.nodes.flatMap((node) => node.all("release"));
    const own = owners.filter(({ operation }) => operation.ownerId === lost.first.ownerId);
    expect(own).to.have.length(3);
    const closed = waitQueueOf(1);
    void closed.first.close();
    expect(closed.bench.counts("release")).to.deep.equal([1, 1, 1]);
  });
});
