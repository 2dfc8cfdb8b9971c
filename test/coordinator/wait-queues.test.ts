import { expect } from "chai";
import type { Lease } from "../../src/coordinator/lease.js";
import type { LeaseSettings } from "../../src/coordinator/lease-settings.js";
import {
  CONTENDED_MS,
  ContendedNames,
  MAX_CONTENDED_NAMES,
  MAX_PASSED_BACK_A_SECOND,
} from "../../src/coordinator/wait-queues.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { MAX_TURN_TRIES_A_SECOND } from "../../src/protocol/backoff.js";
import { CoordinatorBench, KEYS } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { takenVote } from "../support/taken-vote.js";
import { fault, free, granted, held } from "../support/votes.js";
import { sharedLock } from "../../src/kinds/shared.js";
import { permitLock } from "../../src/kinds/permit.js";
import { reservedBy } from "../../src/kinds/reserved.js";
import { WaitQueue } from "../../src/coordinator/wait-queue.js";

const INBOX = "i".padEnd(22, "_");
const WAIT = { waitMs: 10_000, maxDelayMs: 2_000 };

/** By the acquire of one who waits: others do, too, or nobody does. */
const WANTED = [granted(7), granted(7), granted(7)].map((vote) => ({ ...vote, isWaitedFor: true }));
const UNWANTED = WANTED.map((vote) => ({ ...vote, isWaitedFor: false }));

/** Three nodes, whose messages come to an inbox. */
function waitingBench({ isHeard = true } = {}) {
  const inbox = { id: INBOX, isHeard, listenCount: 0, listen: () => void inbox.listenCount++ };
  const bench = new CoordinatorBench(3, new ManualClock(), inbox);
  const { waitQueues } = bench.context;
  return {
    bench,
    inbox,
    waitQueues,
    refuse: () => bench.answer("acquire", [held(60_000), held(60_000), held(60_000)]),
    grant: () => bench.answer("acquire", [granted(7), granted(7), granted(7)]),
    turn: (...nodes: number[]) => {
      for (const node of nodes)
        waitQueues.onTurn(
          node,
          reservedBy({ lockKey: KEYS.lockKey, placePrefix: "", turnMs: 20 }),
          20,
        );
    },
    attempts: () => bench.counts("acquire")[0] ?? 0,
    /** How the last attempt stood in the queue. */
    waiter: () => bench.nodes[0]?.last("acquire").operation.waiter,
  };
}

describe("An acquire that waits", () => {
  it("asks at once, then goes into the queue of the nodes, then sleeps", () => {
    const { bench, attempts, refuse, waiter, inbox } = waitingBench();
    bench.acquire({}, WAIT);
    expect(waiter()).to.equal(undefined);
    refuse();
    bench.clock.advance(1);
    expect(attempts()).to.equal(2);
    expect(waiter()).to.include({ inbox: INBOX, turnMs: 13 });
    expect(inbox.listenCount).to.equal(1);
    refuse();
    bench.clock.advance(999);
    expect(attempts()).to.equal(2);
  });

  it("keeps its ticket from attempt to attempt, and its place with the rollback", () => {
    const { bench, refuse, waiter, turn } = waitingBench();
    bench.acquire({}, WAIT);
    refuse();
    bench.clock.advance(1);
    const first = waiter();
    bench.answer("acquire", [granted(7), held(900), held(900)]);
    const { ownerId, waiter: next } = bench.nodes[0]?.last("release").operation ?? {};
    expect(ownerId).to.equal(first?.deferred?.ownerId);
    expect(next?.deferred?.ownerId, "which is over").to.not.equal(ownerId);
    const deferred = { ...first?.deferred, ownerId: next?.deferred?.ownerId };
    expect(next).to.deep.equal({ ...first, deferred });
    turn(0, 1);
    expect(waiter()).to.equal(next);
  });

  /** One whose place nodes have, with a ticket of a clock that was ahead by so much until now, ms. */
  function aheadBench(aheadMs: number) {
    const waiting = waitingBench();
    const { bench, refuse, waiter } = waiting;
    if (aheadMs !== 0) bench.clock.stepWall(aheadMs);
    bench.acquire({}, WAIT);
    refuse();
    bench.clock.advance(1);
    const { ticket = 0 } = waiter() ?? {};
    refuse();
    bench.clock.advance(20);
    bench.clock.stepWall(-aheadMs);
    return { ...waiting, ticket };
  }

  it("asks with another ticket once the clock that assigned it was found to be ahead, and so do those that come later", () => {
    const { bench, waitQueues, attempts, waiter, ticket } = aheadBench(9_000);
    const count = attempts();
    waitQueues.move(-9_000_000);
    expect(waitQueues.lastTicket).to.equal(ticket - 9_000_000);
    bench.clock.advance(200);
    expect(attempts(), "nodes learn of it").to.equal(count + 1);
    expect(waiter()?.ticket).to.equal(ticket - 9_000_000);
  });

  it("asks again once it is in its place, where that was found while it asked", () => {
    const { bench, refuse, attempts, waiter, waitQueues, ticket, turn } = aheadBench(9_000);
    turn(0, 1);
    const count = attempts();
    expect(waiter()?.ticket).to.equal(ticket);
    waitQueues.move(-9_000_000);
    expect(attempts(), "while one is under way").to.equal(count);
    refuse();
    bench.clock.advance(200);
    expect(attempts()).to.equal(count + 1);
    expect(waiter()?.ticket).to.equal(ticket - 9_000_000);
    refuse();
    bench.clock.advance(200);
    expect(attempts(), "once").to.equal(count + 1);
  });

  it("has a later ticket once the clock that assigned it was found to be behind", () => {
    const { waitQueues, ticket } = aheadBench(-9_000);
    waitQueues.move(9_000_000);
    expect(waitQueues.lastTicket).to.equal(ticket + 9_000_000);
  });

  it("keeps the ticket that it had before the clock was set wrong", () => {
    const { bench, waitQueues, waiter, turn, ticket } = aheadBench(0);
    waitQueues.move(-9_000_000);
    expect(waitQueues.lastTicket, "was not ahead").to.equal(ticket);
    waitQueues.move(9_000_000);
    expect(waitQueues.lastTicket, "is never ahead").to.be.within(ticket, bench.clock.wallUs());
    turn(0, 1);
    expect(waiter()?.ticket).to.be.within(ticket, bench.clock.wallUs());
  });

  it("keeps its ownerId, too, where all nodes have refused it", () => {
    const { bench, refuse, waiter, turn, attempts } = waitingBench();
    bench.acquire({}, WAIT);
    refuse();
    bench.clock.advance(1);
    const first = waiter();
    const released = bench.counts("release");
    refuse();
    turn(0, 1);
    expect(attempts()).to.equal(3);
    expect(waiter()).to.equal(first);
    const owners = bench.nodes.map((node) => node.last("acquire").operation.ownerId);
    expect(new Set(owners)).to.deep.equal(new Set([first?.deferred?.ownerId]));
    expect(bench.counts("release")).to.deep.equal(released);
  });

  for (const { title, nodes, afterMs, count } of [
    {
      title: "asks at once when a quorum says that it is its turn",
      nodes: [0, 2],
      afterMs: 0,
      count: 3,
    },
    { title: "asks soon after fewer have said so", nodes: [1], afterMs: 50, count: 3 },
    { title: "but not at once", nodes: [1], afterMs: 9, count: 2 },
    { title: "counts every node once", nodes: [1, 1, 1], afterMs: 0, count: 2 },
  ]) {
    it(title, () => {
      const { bench, attempts, refuse, turn } = waitingBench();
      bench.acquire({}, WAIT);
      refuse();
      bench.clock.advance(1);
      refuse();
      turn(...nodes);
      bench.clock.advance(afterMs);
      expect(attempts()).to.equal(count);
    });
  }

  it("does not miss a turn that is given while it asks", () => {
    const { bench, attempts, refuse, turn } = waitingBench();
    bench.acquire({}, WAIT);
    refuse();
    bench.clock.advance(1);
    turn(0, 1);
    refuse();
    bench.clock.advance(1);
    expect(attempts()).to.equal(3);
  });

  it("asks again at once as a reader that a node lets in, and another tells too late to do so", () => {
    for (const isReader of [true, false]) {
      const { bench, attempts, refuse, waitQueues } = waitingBench();
      const keys = isReader ? sharedLock(KEYS) : KEYS;
      bench.acquire({}, WAIT, keys);
      refuse();
      bench.clock.advance(1);
      const { placePrefix } = keys.queue;
      waitQueues.onTurn(1, reservedBy({ lockKey: KEYS.lockKey, placePrefix, turnMs: 20 }), 20);
      bench.answer("acquire", [granted(7), held(60_000), held(60_000)]);
      bench.clock.advance(1);
      expect(attempts()).to.equal(isReader ? 3 : 2);
    }
  });

  it("asks again at once for a permit that one node reserves, and another had free for it", () => {
    for (const taken of [[0], [0, 1]]) {
      const { bench, attempts, waitQueues } = waitingBench();
      const keys = permitLock(KEYS, 2);
      bench.acquire({}, WAIT, keys);
      const full = takenVote(2, [0, 1], 60_000);
      for (let count = 0; count < 3; count++) {
        bench.answer("acquire", [takenVote(2, taken, 60_000), full, full]);
        bench.clock.advance(1);
      }
      const before = attempts();
      waitQueues.onTurn(1, permitLock(KEYS, 2, 1, [1]), 20);
      bench.clock.advance(1);
      expect(attempts() - before).to.equal(taken.length === 1 ? 1 : 0);
    }
  });

  it("heeds what a minority says once an attempt, and not once for all of its wait", () => {
    const { bench, attempts, refuse, turn } = waitingBench();
    bench.acquire({}, WAIT);
    refuse();
    bench.clock.advance(1);
    for (let more = 3; more < 7; more++) {
      refuse();
      turn(1);
      bench.clock.advance(WAIT.maxDelayMs / 2 - 1);
      expect(attempts()).to.equal(more);
    }
  });

  it("asks less and less often where a minority gives it every turn", () => {
    const { bench, attempts, turn } = waitingBench();
    bench.acquire({ nodeTimeoutMs: 50 }, { ...WAIT, maxDelayMs: 250 });
    for (let ms = 0; ms < 5_000; ms++) {
      const before = attempts();
      bench.clock.advance(1);
      if (attempts() > before) bench.answer("acquire", [granted(7), fault(), fault()]);
      turn(0);
    }
    expect(attempts()).to.be.within(5_000 / 260, 70);
  });

  it("polls where nobody hears it, and looks when it is heard", () => {
    const { bench, attempts, refuse, inbox, waitQueues } = waitingBench({ isHeard: false });
    bench.acquire({}, { ...WAIT, minDelayMs: 100 });
    refuse();
    bench.clock.advance(99);
    expect(attempts()).to.equal(1);
    bench.clock.advance(101);
    refuse();
    inbox.isHeard = true;
    waitQueues.onHeard();
    bench.clock.advance(100);
    expect(attempts()).to.equal(3);
  });

  it("waits for the answers that cannot help it, as nodes that refused need no rollback", () => {
    const { bench } = waitingBench();
    bench.acquire({}, { ...WAIT, fair: true });
    bench.answer("acquire", [held(900), held(900)]);
    bench.clock.advance(1);
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
    bench.nodes[2]?.answer("acquire", held(900));
    bench.clock.advance(100);
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
  });

  it("does not wait for them once it is its turn", () => {
    const { bench, turn, attempts } = waitingBench();
    bench.acquire({}, { ...WAIT, fair: true });
    bench.answer("acquire", [held(900), held(900)]);
    turn(0, 1);
    bench.clock.advance(0);
    expect(attempts()).to.equal(2);
    expect(bench.counts("release"), "its ownerId is over").to.deep.equal([1, 1, 1]);
  });

  for (const { title, votes, wait, afterMs, isInQueue } of [
    { title: "it has just waited for", isInQueue: true },
    { title: "others wanted when it had it last", votes: WANTED, isInQueue: true },
    { title: "was contended a while ago", afterMs: CONTENDED_MS - 1, isInQueue: true },
    { title: "was contended too long ago", afterMs: CONTENDED_MS, isInQueue: false },
    { title: "nobody else wants any more", votes: UNWANTED, isInQueue: false },
    { title: "is not to wait for", wait: { waitMs: 0 }, isInQueue: false },
  ]) {
    it(`asks for a name that ${title} ${isInQueue ? "in its queue at once" : "as a newcomer"}`, () => {
      const { bench, refuse, grant, turn, waiter } = waitingBench();
      const has = (): Lease | undefined => {
        const outcome = taken.outcomes[0];
        return outcome?.kind === "granted" ? outcome.lease : undefined;
      };
      let taken = bench.acquire({}, WAIT);
      refuse();
      bench.clock.advance(1);
      refuse();
      turn(0, 1, 2);
      grant();
      void has()?.release();
      if (votes !== undefined) {
        taken = bench.acquire({}, WAIT);
        bench.answer("acquire", votes);
        void has()?.release();
      }
      bench.clock.advance(afterMs ?? 0);
      bench.acquire({}, wait ?? WAIT);
      if (isInQueue) expect(waiter()).to.include({ inbox: INBOX });
      else expect(waiter()).to.equal(undefined);
    });
  }

  it("leaves the queue of the nodes when it gives up", () => {
    const { bench, refuse } = waitingBench();
    const { abort, outcomes } = bench.acquire({}, WAIT);
    refuse();
    bench.clock.advance(1);
    refuse();
    abort();
    expect(outcomes).to.have.length(1);
    for (const node of bench.nodes)
      expect(node.last("release").operation.waiter).to.include({ inbox: INBOX, ticket: 0 });
    expect(bench.context.waitQueues.of(KEYS)).to.equal(undefined);
  });

  it("does not leave the queue when it is granted: the nodes took it out", () => {
    const { bench, refuse, grant, turn } = waitingBench();
    const { outcomes } = bench.acquire({ renew: false }, WAIT);
    refuse();
    bench.clock.advance(1);
    refuse();
    turn(0, 1, 2);
    grant();
    expect(outcomes[0]).to.include({ kind: "granted" });
    expect(bench.counts("leave")).to.deep.equal([0, 0, 0]);
  });
});

describe("A line", () => {
  it("contends for its first only, and serves first come first", () => {
    const { bench, attempts, grant } = waitingBench();
    const order: number[] = [];
    const acquires = [0, 1, 2].map(() =>
      bench.acquire({ renew: false, ttlMs: 60_000 }, { ...WAIT, fair: true }),
    );
    for (let granted = 0; granted < 3; granted++) {
      for (let ms = 0; ms < WAIT.maxDelayMs && attempts() === granted; ms++) bench.clock.advance(1);
      expect(attempts()).to.equal(granted + 1);
      grant();
      order.push(...acquires.flatMap(({ outcomes }, n) => (outcomes.length > 0 ? [n] : [])));
    }
    expect(order).to.deep.equal([0, 0, 1, 0, 1, 2]);
  });

  for (const isAsking of [false, true]) {
    const how = isAsking ? "but not while that asks: nodes that refuse it do" : "unless that asks";
    it(`puts its next one into the queue with the release, ${how}`, () => {
      const { bench, refuse } = waitingBench();
      const first = bench.acquire({ renew: false }, { ...WAIT, fair: true });
      // Others wait, and came before the next one here: it is not handed over.
      bench.answer("acquire", WANTED);
      bench.acquire({ renew: false }, { ...WAIT, fair: true });
      if (!isAsking) refuse();
      const [outcome] = first.outcomes;
      if (outcome?.kind !== "granted") throw new Error("not granted");
      void outcome.lease.release();
      const { waiter } = bench.nodes[1]?.last("release").operation ?? {};
      if (isAsking) expect(waiter).to.equal(undefined);
      else expect(waiter).to.include({ inbox: INBOX });
    });
  }

  describe("W4: whose lock is over, leaves the queue of a node that had refused it", () => {
    const ENDS: readonly [
      how: string,
      over: Partial<LeaseSettings>,
      end: (bench: CoordinatorBench, lease: Lease) => void,
    ][] = [
      ["with its release", {}, (_, lease) => void lease.release()],
      ["with that of a lock that is lost", {}, ({ clock }) => clock.advance(2_000)],
      ["by a leave where another process takes it over", {}, (_, lease) => lease.give()],
      [
        "by a leave where the name stays closed",
        { lockDelayMs: 1_000 },
        ({ clock }) => clock.advance(2_000),
      ],
    ];
    for (const [how, over, end] of ENDS) {
      it(how, () => {
        const { bench } = waitingBench();
        const { outcomes } = bench.acquire({ renew: false, ...over }, { ...WAIT, fair: true });
        bench.answer("acquire", [granted(7), granted(7), held()]);
        const [outcome] = outcomes;
        if (outcome?.kind !== "granted") throw new Error("not granted");
        expect(bench.counts("leave"), "while it is held").to.deep.equal([0, 0, 0]);
        end(bench, outcome.lease);
        const isReleased = !how.startsWith("by");
        // A release of its process may have left its place on the others, too.
        const left = how.includes("takes it over") ? [1, 1, 1] : [0, 0, 1];
        expect(bench.counts("leave")).to.deep.equal(isReleased ? [0, 0, 0] : left);
        const last = bench.nodes[2]?.last(isReleased ? "release" : "leave").operation;
        expect(last?.waiter).to.include({ inbox: INBOX, turnMs: 13 });
        if (isReleased) expect(last?.waiter).to.include({ ticket: 0 });
      });
    }

    it("by a leave of the name as a whole, which also removes readers, where it read", () => {
      const { bench } = waitingBench();
      const reader = bench.acquire({ renew: false }, { ...WAIT, fair: true }, sharedLock(KEYS));
      bench.answer("acquire", [granted(7), granted(7), held()]);
      const [outcome] = reader.outcomes;
      if (outcome?.kind !== "granted") throw new Error("not granted");
      outcome.lease.give();
      expect(bench.counts("leave")).to.deep.equal([1, 1, 1]);
      expect(bench.nodes[2]?.last("leave").operation.waiter).to.include({ placePrefix: "" });
    });
  });

  it("lets its lock take a turn that comes late, and passes on one that nobody wants", () => {
    const { bench, grant, turn, attempts } = waitingBench();
    bench.acquire({ renew: false }, { ...WAIT, fair: true });
    bench.answer("acquire", [granted(7), granted(7), held()]);
    turn(2);
    expect(bench.nodes[2]?.last("heal").operation.waiter).to.include({ inbox: INBOX, turnMs: 20 });
    expect(attempts()).to.equal(1);
    grant();
    bench.context.waitQueues.onTurn(
      1,
      reservedBy({ lockKey: "lock:another", placePrefix: "", turnMs: 33 }),
      33,
    );
    const leave = bench.nodes[1]?.last("leave").operation;
    expect(leave?.waiter).to.include({ inbox: INBOX, turnMs: 33 });
    expect(leave?.keys).to.include({ lockKey: "lock:another" });
  });

  it("takes a turn for the next one once its lock is over, although no timer has told so yet", () => {
    const { bench, refuse, turn, attempts } = waitingBench();
    const { outcomes } = bench.acquire({ renew: false }, { ...WAIT, fair: true });
    bench.answer("acquire", WANTED);
    const next = bench.acquire({ renew: false }, { ...WAIT, fair: true });
    refuse();
    const asked = attempts();
    bench.clock.suspend(2_000);
    turn(0);
    expect(bench.lost).to.deep.equal(["expired"]);
    expect(attempts()).to.equal(asked);
    turn(2);
    expect(attempts()).to.equal(asked + 1);
    bench.answer("acquire", WANTED);
    expect([...outcomes, ...next.outcomes].map(({ kind }) => kind)).to.deep.equal([
      "granted",
      "granted",
    ]);
  });

  for (const { title, told, asks } of [
    { title: "asks at once", told: [0, 2], asks: 1 },
    { title: "polls, after what only one node has told,", told: [0, 0], asks: 0 },
  ]) {
    it(`${title} behind a lock that had been ended on the nodes without its process knowing`, async () => {
      const { bench, refuse, turn, attempts } = waitingBench();
      const { outcomes } = bench.acquire({ renew: false }, { ...WAIT, fair: true });
      bench.answer("acquire", WANTED);
      bench.acquire({ renew: false }, { ...WAIT, fair: true });
      refuse();
      const [outcome] = outcomes;
      if (outcome?.kind !== "granted") return expect.fail("not granted");
      bench.clock.advance(100);
      const asked = attempts();
      turn(...told);
      bench.clock.advance(10);
      expect(attempts(), "while it is believed to be held").to.equal(asked);
      const extended = outcome.lease.extend();
      bench.answer("extend", [free(), free(), free()]);
      expect((await extended).kind).to.equal("lost");
      bench.clock.advance(1);
      expect(attempts()).to.equal(asked + asks);
    });
  }

  it("passes on turns that nobody wants only so often: whoever may publish can make them up", () => {
    const { bench, waitQueues } = waitingBench();
    const tell = (count: number): void => {
      for (let at = 0; at < count; at++) {
        waitQueues.onTurn(
          1,
          reservedBy({ lockKey: `lock:${at}`, placePrefix: "", turnMs: 20 }),
          20,
        );
        waitQueues.onTurn(
          1,
          reservedBy({ lockKey: `lock:${at}`, placePrefix: "s", turnMs: 20, permits: [at] }),
          20,
        );
      }
    };
    tell(900);
    expect(bench.counts("leave")).to.deep.equal([0, MAX_PASSED_BACK_A_SECOND, 0]);
    bench.clock.advance(500);
    tell(900);
    expect(bench.counts("leave")).to.deep.equal([0, 1.5 * MAX_PASSED_BACK_A_SECOND, 0]);
  });

  it("takes no permits that nobody here wants so many of: whoever may publish can make them up", () => {
    const semaphore = permitLock(KEYS, 10_000, 2);
    const waitQueue = new WaitQueue(semaphore, 3);
    const tell = (index: number, ...permits: number[]) => waitQueue.onTurn(index, permits, 20);
    for (const index of [0, 1]) tell(index, ...Array.from({ length: 10_000 }, (_, at) => at));
    expect(waitQueue.isOurTurn).to.equal(false);
    for (const index of [0, 1]) tell(index, 7, 9);
    expect(waitQueue.isOurTurn).to.equal(true);
    for (let first = 0; first < 9_000; first++) tell(2, first, first + 1);
    expect(
      [...(waitQueue.reservations?.drain(0) ?? [])].map(({ permits }) => permits),
    ).to.deep.equal([[7, 9], [7, 9], [8_996], [8_997], [8_998], [8_999, 9_000]]);
  });

  it("passes on permits that are too few for those who still wait, once the first gives up", () => {
    for (const wanted of [1, 4]) {
      const { bench, waitQueues } = waitingBench();
      const first = bench.acquire({}, WAIT, permitLock(KEYS, 4));
      const full = takenVote(4, [0, 1, 2, 3], 60_000);
      for (let count = 0; count < 2; count++) {
        bench.answer("acquire", [full, full, full]);
        bench.clock.advance(1);
      }
      bench.acquire({}, WAIT, permitLock(KEYS, 4, wanted));
      waitQueues.onTurn(0, permitLock(KEYS, 4, 1, [3]), 20);
      first.abort();
      bench.clock.advance(1);
      const left = bench.nodes[0]
        ?.all("leave")
        .map(({ operation }) => operation.keys.permits?.numbers);
      expect(
        left?.some((numbers) => numbers?.join() === "3"),
        `${wanted}`,
      ).to.equal(true);
    }
  });

  it("passes on permits that are too few for those who still wait, once the first has got its own", () => {
    for (const wanted of [1, 4]) {
      const { bench, grant, waitQueues } = waitingBench();
      bench.acquire({}, WAIT, permitLock(KEYS, 4));
      const full = takenVote(4, [0, 1, 2, 3], 60_000);
      for (let count = 0; count < 2; count++) {
        bench.answer("acquire", [full, full, full]);
        bench.clock.advance(1);
      }
      bench.acquire({}, WAIT, permitLock(KEYS, 4, wanted));
      for (const node of [0, 1]) waitQueues.onTurn(node, permitLock(KEYS, 4, 2, [2, 3]), 20);
      bench.clock.advance(1);
      grant();
      bench.clock.advance(1);
      const left = bench.nodes.map((node) =>
        node.all("leave").map(({ operation }) => operation.keys.permits?.numbers),
      );
      expect(left.flat().filter((numbers) => numbers?.join() === "3")).to.have.length(
        wanted === 4 ? 2 : 0,
      );
    }
  });

  it("takes a late turn once on each node, however often it is told", () => {
    const { bench, turn } = waitingBench();
    bench.acquire({ renew: false }, { ...WAIT, fair: true });
    bench.answer("acquire", [granted(7), granted(7), held()]);
    for (let count = 0; count < 100; count++) {
      turn(2);
      bench.answer("heal", [undefined, undefined, held()]);
    }
    expect(bench.counts("heal")).to.deep.equal([0, 0, 1]);
  });

  it("does not ask as often as it is told to", () => {
    const { bench, attempts, refuse, turn } = waitingBench();
    bench.acquire({}, WAIT);
    refuse();
    bench.clock.advance(1);
    refuse();
    const told = attempts();
    for (let ms = 0; ms < 1_000; ms++) {
      turn(0, 1, 2);
      if (attempts() > (bench.counts("release")[0] ?? 0)) refuse();
      bench.clock.advance(1);
    }
    expect(attempts() - told).to.be.within(MAX_TURN_TRIES_A_SECOND, 4 * MAX_TURN_TRIES_A_SECOND);
  });

  it("goes on when its first gives up", () => {
    const { bench, attempts } = waitingBench();
    const first = bench.acquire({}, { ...WAIT, fair: true });
    bench.acquire({}, { ...WAIT, fair: true });
    first.abort();
    bench.clock.advance(1);
    expect(attempts()).to.equal(2);
  });

  it("counts no node for its next one that said so to the one before", () => {
    const { bench, attempts, refuse, turn } = waitingBench();
    const first = bench.acquire({}, { ...WAIT, fair: true });
    bench.acquire({}, { ...WAIT, fair: true });
    refuse();
    turn(0);
    first.abort();
    turn(1);
    expect(attempts(), "one node of three has told the next one").to.equal(1);
    turn(2);
    expect(attempts()).to.equal(2);
  });

  it("asks for nobody where all give up together", () => {
    const { bench, attempts } = waitingBench();
    const all = Array.from({ length: 50 }, () => bench.acquire({}, { ...WAIT, fair: true }));
    for (const { abort } of all) abort();
    bench.clock.advance(60_000);
    expect(attempts()).to.equal(1);
    for (const node of bench.nodes)
      expect(node.last("release").operation.waiter).to.include({ inbox: INBOX, ticket: 0 });
  });

  it("tells one whose time is over how the last attempt since it came had failed", () => {
    for (const { votes, kind } of [
      { votes: [held(), held(), held()], kind: "refused" },
      { votes: [fault(), fault(), fault()], kind: "unreachable" },
    ]) {
      const { bench } = waitingBench();
      bench.acquire({}, { ...WAIT, fair: true });
      const second = bench.acquire({}, { ...WAIT, waitMs: 300 });
      bench.clock.advance(10);
      bench.answer("acquire", votes);
      bench.clock.advance(250);
      for (let ms = 0; ms < 100; ms++) {
        bench.clock.advance(1);
        bench.answer("acquire", votes);
      }
      expect(second.outcomes).to.have.length(1);
      expect(second.outcomes[0]).to.include({ kind });
    }
  });

  it("refuses one attempt at once where it must be fair, and never from within the call", () => {
    const { bench, attempts } = waitingBench();
    bench.acquire({}, { ...WAIT, fair: true });
    const once = bench.acquire({}, { fair: true });
    expect(once.outcomes).to.deep.equal([]);
    bench.clock.flush();
    expect(once.outcomes[0]).to.include({ kind: "refused", attemptCount: 0 });
    expect(attempts()).to.equal(1);
  });

  it("lets a newcomer that may wait stand behind those who wait, and one that may not ask at once", () => {
    const { bench, attempts, waiter } = waitingBench();
    bench.acquire({}, { ...WAIT, fair: true });
    bench.acquire({}, WAIT);
    expect(attempts()).to.equal(1);
    bench.acquire({}, { waitMs: 0 });
    expect(attempts()).to.equal(2);
    expect(waiter(), "it does not wait").to.equal(undefined);
  });

  it("goes on as if one in its middle had never come, when that gives up", () => {
    const { bench, attempts, grant, waitQueues } = waitingBench();
    const lease = { renew: false, ttlMs: 60_000 };
    const [first, middle, last] = [0, 1, 2].map(() =>
      bench.acquire(lease, { ...WAIT, fair: true }),
    );
    middle?.abort();
    expect(middle?.outcomes).to.deep.include({ kind: "aborted", attemptCount: 0, waitedMs: 0 });
    expect(bench.counts("leave")).to.deep.equal([0, 0, 0]);
    expect(attempts()).to.equal(1);
    grant();
    expect(first?.outcomes[0]).to.include({ kind: "granted" });
    for (let ms = 0; ms < WAIT.maxDelayMs && attempts() === 1; ms++) bench.clock.advance(1);
    grant();
    expect(last?.outcomes[0]).to.include({ kind: "granted" });
    expect(waitQueues.of(KEYS)).to.equal(undefined);
  });

  it("lets one whose time is over ask for itself where nobody has asked since it came", () => {
    const { bench, attempts, waiter, grant } = waitingBench();
    bench.acquire({ nodeTimeoutMs: 900 }, { ...WAIT, fair: true });
    const short = bench.acquire({ renew: false }, { ...WAIT, waitMs: 100 });
    bench.clock.advance(99);
    expect(attempts()).to.equal(1);
    bench.clock.advance(1);
    expect(attempts()).to.equal(2);
    expect(waiter(), "its place in the queue is the first one's").to.equal(undefined);
    grant();
    expect(short.outcomes[0]).to.include({ kind: "granted", attemptCount: 1 });
  });

  it("forgets a lock that was waited for once it has ended", async () => {
    for (const isReleased of [true, false]) {
      const { bench, grant, turn } = waitingBench();
      const { outcomes } = bench.acquire({ renew: false }, { ...WAIT, fair: true });
      grant();
      const [outcome] = outcomes;
      if (outcome?.kind !== "granted") throw new Error("not granted");
      if (isReleased) void outcome.lease.release();
      else bench.clock.advance(1_000);
      const healCounts = bench.counts("heal");
      turn(2);
      expect(bench.counts("heal"), "it takes no turn any more").to.deep.equal(healCounts);
      expect(bench.counts("leave"), "but passes it on").to.deep.equal([0, 0, 1]);
    }
  });
});

const keysOfName = (name: string | number) => keysOf("lock:", String(name));

describe("ContendedNames", () => {
  it("remembers a name for a while after it was contended last", () => {
    const names = new ContendedNames();
    names.onGranted(keysOfName("a"), true, 0);
    names.onGranted(keysOfName("a"), true, 100);
    expect(names.has(keysOfName("a"), CONTENDED_MS + 99)).to.equal(true);
    expect(names.has(keysOfName("a"), CONTENDED_MS + 100)).to.equal(false);
    expect(names.has(keysOfName("b"), 100)).to.equal(false);
    names.onGranted(keysOfName("a"), false, 100);
    expect(names.has(keysOfName("a"), 100)).to.equal(false);
  });

  it("forgets what was contended the longest ago once there are too many", () => {
    const names = new ContendedNames();
    for (let name = 0; name < MAX_CONTENDED_NAMES; name++)
      names.onGranted(keysOfName(name), true, 0);
    names.onGranted(keysOfName(0), true, 0);
    names.onGranted(keysOfName("more"), true, 0);
    expect(names.has(keysOfName(0), 0)).to.equal(true);
    expect(names.has(keysOfName(1), 0)).to.equal(false);
    expect(names.has(keysOfName(2), 0)).to.equal(true);
  });
});
