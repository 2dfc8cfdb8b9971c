import { expect } from "chai";
import type { Operation, Vote } from "../../src/protocol/operation.js";
import { CoordinatorBench, heardInbox, KEYS, type Acquired } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, granted, held } from "../support/votes.js";
import { permitLock } from "../../src/kinds/permit.js";
import { reservedBy } from "../../src/kinds/reserved.js";
import { takenVote } from "../support/taken-vote.js";

const PERMITS = 4;
const ANY = permitLock(KEYS, PERMITS);
const WAIT = { waitMs: 10_000, maxDelayMs: 2_000 };

const taken = (...permits: number[]): Vote => takenVote(PERMITS, permits, 60_000);
const permitOf = ({ keys }: Operation): number => keys.permits?.numbers?.[0] ?? -1;

/** Three nodes, whose messages come to an inbox. */
function semaphoreBench() {
  const inbox = heardInbox();
  const bench = new CoordinatorBench(3, new ManualClock(), inbox);
  const attempts = (node = 0) => bench.nodes[node]?.all("acquire") ?? [];
  return {
    bench,
    attempts,
    acquire: (wait = {}) => bench.acquire({ renew: false }, { ...WAIT, ...wait }, ANY),
    tryAcquire: () => bench.acquire({ renew: false }, { waitMs: 0 }, ANY),
    /** Which permit each attempt was for, in order. */
    permits: (node = 0) => attempts(node).map(({ operation }) => permitOf(operation)),
    /** The last attempt is answered. */
    answer: (...votes: Vote[]) => {
      // An answer may lead to the next attempt, which is not meant.
      const asked = bench.nodes.map((node) => node.last("acquire"));
      votes.forEach((vote, node) => asked[node]?.reply(vote));
    },
    turn: (permit: number, ...nodes: number[]) => {
      for (const node of nodes)
        bench.context.waitQueues.onTurn(
          node,
          reservedBy({ lockKey: KEYS.lockKey, placePrefix: "s", turnMs: 20, permits: [permit] }),
          20,
        );
    },
  };
}

function grantedPermitOf(outcome: Acquired | undefined): number {
  if (outcome?.kind !== "granted") throw new Error(`not granted but ${outcome?.kind}`);
  return outcome.lease.keys.permits?.numbers?.[0] ?? -1;
}

const without = (...permits: number[]): number[] =>
  [0, 1, 2, 3].filter((permit) => !permits.includes(permit));

describe("An acquire of any permit", () => {
  it("heeds a turn for each permit that it knows of, whatever those ahead of it had in mind", () => {
    const { bench, acquire, permits, turn } = semaphoreBench();
    const fewer = permitLock(KEYS, PERMITS - 1);
    const ahead = bench.acquire({ renew: false }, { ...WAIT, fair: true }, fewer);
    acquire({ fair: true });
    ahead.abort();
    bench.clock.advance(1);
    bench.answer("acquire", [taken(0, 1, 2, 3), taken(0, 1, 2, 3), taken(0, 1, 2, 3)]);
    turn(PERMITS - 1, 0, 1);
    expect(permits()).to.have.length(3);
    expect(permits().at(-1)).to.equal(PERMITS - 1);
  });

  it("asks for the permit that it is told of, though it knows of no resize: the nodes say which there are", () => {
    const { acquire, permits, answer, turn, bench } = semaphoreBench();
    acquire();
    answer(taken(0, 1, 2, 3), taken(0, 1, 2, 3), taken(0, 1, 2, 3));
    bench.clock.advance(1);
    answer(taken(0, 1, 2, 3), taken(0, 1, 2, 3), taken(0, 1, 2, 3));
    for (const node of [0, 1]) turn(PERMITS, node);
    expect(permits()).to.have.length(3);
    expect(permits().at(-1)).to.equal(PERMITS);
  });

  it("heeds a turn that is for a permit, although its process believes to hold the whole name", () => {
    const { bench, acquire, answer } = semaphoreBench();
    bench.acquire({ renew: false }, { ...WAIT, fair: true });
    answer(granted(7), granted(7), granted(7));
    acquire({ fair: true });
    answer(held(60_000), held(60_000), held(60_000));
    const asked = bench.counts("acquire")[0] ?? 0;
    const reserved = reservedBy({ lockKey: KEYS.lockKey, placePrefix: "s", turnMs: 20 });
    for (const node of [0, 1]) bench.context.waitQueues.onTurn(node, reserved, 20);
    expect(bench.counts("acquire")[0]).to.equal(asked + 1);
  });

  it("asks all nodes for one and the same", () => {
    const { acquire, permits, answer } = semaphoreBench();
    const { outcomes } = acquire();
    expect(permits(0)).to.deep.equal(permits(1)).and.to.deep.equal(permits(2));
    answer(granted(7), granted(7), granted(7));
    expect(grantedPermitOf(outcomes[0])).to.equal(permits()[0]);
  });

  it("asks for one that this process neither holds nor asks for", () => {
    const { tryAcquire, permits, answer, bench } = semaphoreBench();
    const all = [tryAcquire(), tryAcquire(), tryAcquire()];
    expect(new Set(permits()).size).to.equal(3);
    for (const node of bench.nodes) {
      for (const { reply } of node.all("acquire")) reply(granted(7));
    }
    tryAcquire();
    expect(new Set(permits()).size).to.equal(4);
    answer(granted(8), granted(8), granted(8));
    // Only the one that is released is nobody's here.
    for (const { outcomes } of all) {
      const [outcome] = outcomes;
      if (outcome?.kind !== "granted") throw new Error("not granted");
      void outcome.lease.release();
      tryAcquire();
      expect(permits().at(-1)).to.equal(grantedPermitOf(outcome));
      answer(granted(9), granted(9), granted(9));
    }
  });

  it("asks at once for one that is free, if it is told of any", () => {
    const { tryAcquire, permits, answer } = semaphoreBench();
    const { outcomes } = tryAcquire();
    const [first = -1] = permits();
    const [free = -1] = without(first);
    const rest = taken(...without(free));
    answer(rest, rest, rest);
    expect(permits()).to.deep.equal([first, free]);
    answer(granted(7), granted(7), granted(7));
    expect(grantedPermitOf(outcomes[0])).to.equal(free);
  });

  it("rolls back before it asks for another, and not into the queue", () => {
    const { acquire, permits, answer, bench } = semaphoreBench();
    acquire({ fair: true });
    const [first = -1] = permits();
    answer(granted(7), taken(first), taken(first));
    bench.clock.advance(50);
    const [node] = bench.nodes;
    expect(node?.kinds).to.deep.equal(["acquire", "release", "acquire"]);
    expect(node?.last("release").operation.waiter).to.equal(undefined);
    expect(node?.last("acquire").operation.waiter).to.include({ placePrefix: "s" });
  });

  for (const { title, votes, kind } of [
    {
      title: "all are taken",
      votes: () => [taken(0, 1, 2, 3), taken(0, 1, 2, 3), taken(0, 1, 2, 3)],
      kind: "refused",
    },
    {
      title: "another lock has the name",
      votes: () => [held(500), held(500), held(500)],
      kind: "refused",
    },
    {
      title: "two nodes are silent",
      votes: (first: number) => [taken(first), fault(), fault()],
      kind: "unreachable",
    },
  ] as const) {
    it(`gives up after one attempt where ${title}`, () => {
      const { tryAcquire, permits, answer } = semaphoreBench();
      const { outcomes } = tryAcquire();
      answer(...votes(permits()[0] ?? -1));
      expect(outcomes[0]).to.include({ kind, attemptCount: 1 });
    });
  }

  it("asks again with one node down, as long as both others call one free", () => {
    const { tryAcquire, permits, answer } = semaphoreBench();
    const { outcomes } = tryAcquire();
    const [first = -1] = permits();
    const [second = -1, third = -1, last = -1] = without(first);
    answer(taken(first, second), fault(), taken(first, third));
    expect(permits()).to.deep.equal([first, last]);
    answer(granted(7), fault(), granted(7));
    expect(grantedPermitOf(outcomes[0])).to.equal(last);
  });

  it("does not ask again at once, and in step, where nodes were split", () => {
    const { tryAcquire, permits, answer, bench } = semaphoreBench();
    const { outcomes } = tryAcquire();
    const [first = -1] = permits();
    answer(granted(7), taken(first), taken(first));
    expect(permits()).to.deep.equal([first]);
    bench.clock.advance(10);
    expect(permits()).to.have.length(2);
    answer(granted(8), granted(8), granted(8));
    expect(outcomes[0]).to.include({ kind: "granted", attemptCount: 2 });
  });

  it("ends within a node deadline of its wait, however often others are faster", () => {
    const { tryAcquire, permits, answer, bench } = semaphoreBench();
    const { outcomes } = tryAcquire();
    const beganMs = bench.clock.now();
    while (outcomes.length === 0) {
      const last = permits().at(-1) ?? -1;
      bench.clock.advance(20);
      answer(taken(last), taken(last), taken(last));
    }
    expect(permits()).to.have.length(3);
    expect(outcomes[0]).to.include({ kind: "refused" });
    expect(bench.clock.now() - beganMs).to.equal(60);
  });

  it("ends after so many tries, however fast they are", () => {
    const { tryAcquire, permits, answer } = semaphoreBench();
    const { outcomes } = tryAcquire();
    while (outcomes.length === 0) {
      const last = permits().at(-1) ?? -1;
      answer(taken(last), taken(last), taken(last));
    }
    expect(permits()).to.have.length(17);
  });

  it("tries so many times at once again after a pause", () => {
    const { bench, acquire, permits, answer } = semaphoreBench();
    acquire({ maxDelayMs: 500 });
    const refuseAll = (): void => {
      for (let asked = -1; permits().length > asked;) {
        asked = permits().length;
        const last = permits().at(-1) ?? -1;
        answer(taken(last), taken(last), taken(last));
      }
    };
    refuseAll();
    expect(permits()).to.have.length(17);
    for (let ms = 0; ms < 500 && permits().length === 17; ms++) bench.clock.advance(1);
    refuseAll();
    expect(permits()).to.have.length(34);
  });

  it("does not keep others from the permits that it asked for and gave up on", () => {
    const { acquire, tryAcquire, permits } = semaphoreBench();
    acquire();
    for (const one of [tryAcquire(), tryAcquire(), acquire()]) one.abort();
    expect(without(...permits())).to.deep.equal([]);
    const before = permits().length;
    for (let count = 0; count < 3; count++) tryAcquire();
    expect(without(...permits().slice(before))).to.deep.equal([permits()[0]]);
  });
});

describe("Those in a process who wait for a permit", () => {
  /** One who has been refused, as all are taken, and stands in the queue of the nodes. */
  function waitingBench() {
    const bench = semaphoreBench();
    const one = bench.acquire({ fair: true });
    bench.answer(taken(0, 1, 2, 3), taken(0, 1, 2, 3), taken(0, 1, 2, 3));
    return { ...bench, one };
  }

  it("ask for the permit that a quorum of nodes keeps for them", () => {
    const { turn, permits, answer, one } = waitingBench();
    turn(2, 0);
    expect(permits()).to.have.length(1);
    turn(2, 2);
    expect(permits().slice(1)).to.deep.equal([2]);
    answer(granted(7), taken(0, 1, 3), granted(7));
    expect(grantedPermitOf(one.outcomes[0])).to.equal(2);
  });

  it("ask once a quorum keeps permits for them, although not the same, and then for what most keep", () => {
    const { bench, turn, permits, answer, one } = waitingBench();
    turn(2, 0);
    expect(permits()).to.have.length(1);
    turn(1, 1);
    expect(permits().slice(1), "the smallest of equals").to.deep.equal([1]);
    turn(2, 2);
    answer(taken(0, 1, 3), granted(7), taken(0, 1, 3));
    bench.clock.advance(15);
    expect(permits().slice(2)).to.deep.equal([2]);
    answer(granted(7), taken(0, 1, 3), granted(7));
    expect(grantedPermitOf(one.outcomes[0])).to.equal(2);
  });

  it("go on one after the other while there are more", () => {
    const { turn, permits, answer, one, acquire, bench } = waitingBench();
    const more = acquire();
    turn(2, 0, 1, 2);
    answer(granted(7), granted(7), granted(7));
    bench.clock.advance(1);
    expect(permits()).to.have.length(3);
    expect(permits()[2], "not the one that this process has").to.not.equal(2);
    answer(granted(8), granted(8), granted(8));
    expect(grantedPermitOf(more.outcomes[0])).to.not.equal(grantedPermitOf(one.outcomes[0]));
  });

  it("take what nodes keep for them although it came while another of them asked", () => {
    const { turn, permits, answer, acquire, bench } = waitingBench();
    acquire();
    turn(2, 0, 1);
    turn(3, 0, 1, 2);
    answer(granted(7), granted(7), granted(7));
    bench.clock.advance(1);
    expect(permits().slice(1)).to.deep.equal([2, 3]);
  });

  it("pass on what nodes keep for them once nobody wants it any more", () => {
    const { turn, answer, bench } = waitingBench();
    turn(2, 0, 1);
    turn(3, 1, 2);
    answer(granted(7), granted(7), granted(7));
    const left = bench.nodes.map((node) => node.all("leave").map(({ operation }) => operation));
    expect(left.map((of) => of.map(permitOf))).to.deep.equal([[], [3], [3]]);
    turn(1, 0);
    const { ownerId, keys } = bench.nodes[0]?.last("leave").operation ?? {};
    expect(ownerId).to.equal("i".padEnd(22, "_"));
    expect(keys).to.include({ id: "permit", lockKey: KEYS.lockKey });
    expect(keys?.scriptArgs).to.deep.equal(["1"]);
  });

  it("heal a node that keeps for them what they have already, though they leave its queue", () => {
    const { turn, answer, bench } = waitingBench();
    turn(2, 0, 1);
    answer(granted(7), granted(7), taken(2));
    expect(bench.counts("leave")).to.deep.equal([0, 0, 1]);
    turn(2, 2);
    expect(bench.counts("heal")).to.deep.equal([0, 0, 1]);
    expect(bench.counts("leave")).to.deep.equal([0, 0, 1]);
    expect(bench.nodes[2]?.last("heal").operation.waiter?.inbox).to.equal("i".padEnd(22, "_"));
  });

  it("leave the queue as those who want a permit", () => {
    const { one, bench } = waitingBench();
    one.abort();
    expect(bench.counts("leave")).to.deep.equal([1, 1, 1]);
    expect(bench.nodes[0]?.last("leave").operation.waiter).to.include({ placePrefix: "s" });
  });

  it("are put into the queue by a release of their process, and nothing is handed over", () => {
    const { turn, answer, one, acquire, bench } = waitingBench();
    turn(2, 0, 1, 2);
    answer(granted(7), granted(7), granted(7));
    acquire({ fair: true });
    answer(taken(0, 1, 2, 3), taken(0, 1, 2, 3), taken(0, 1, 2, 3));
    const [outcome] = one.outcomes;
    if (outcome?.kind !== "granted") throw new Error("not granted");
    void outcome.lease.release();
    const { operation } = bench.nodes[0]?.last("release") ?? {};
    expect(operation?.waiter).to.include({ inbox: "i".padEnd(22, "_"), placePrefix: "s" });
    expect(bench.counts("acquire")).to.deep.equal([3, 3, 3]);
  });

  it("stand in another wait queue than those who want the name as a whole", () => {
    const { turn, permits, bench } = waitingBench();
    const plain = bench.acquire({ renew: false }, { ...WAIT, fair: true });
    expect(permits(), "it asks at once").to.deep.equal([permits()[0], -1]);
    turn(2, 0, 1, 2);
    expect(permits().slice(2)).to.deep.equal([2]);
    expect(plain.outcomes).to.deep.equal([]);
  });
});
