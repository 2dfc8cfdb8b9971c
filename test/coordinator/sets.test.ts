import { expect } from "chai";
import { CoordinatorBench, heardInbox, KEYS } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, foreign, granted, held } from "../support/votes.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { severalLock } from "../../src/kinds/several.js";
import { WaitQueues } from "../../src/coordinator/wait-queues.js";
import type { LeaseSettings } from "../../src/coordinator/lease-settings.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import type { Vote } from "../../src/protocol/operation.js";

const ZERO = keysOf("lock:", "zero");
const SET = severalLock([KEYS, ZERO]);
const WAIT = { waitMs: 10_000, maxDelayMs: 2_000 };
const THREE = [0, 1, 2];

/** That it is held, as a node refuses a set. */
const without = (keys: LockKind): Vote => ({ ...held(60_000), key: keys.lockKey });
const waitedFor = (waitingCount: number): Vote => ({
  ...held(),
  key: ZERO.lockKey,
  waitingCount,
});
const LACKS = { invoice: without(KEYS), zero: without(ZERO) };

/** Three nodes, whose messages come to an inbox. */
function setsBench() {
  const bench = new CoordinatorBench(3, new ManualClock(), heardInbox());
  const asked = (keys: LockKind) =>
    (bench.nodes[0]?.all("acquire") ?? [])
      .map(({ operation }) => operation)
      .filter((operation) => operation.keys.lockKeys.join() === keys.lockKeys.join());
  return {
    bench,
    released: () => bench.nodes[0]?.all("release").map(({ operation }) => operation) ?? [],
    /** A quorum of nodes says that it is the turn of whoever waits for the name. */
    turn: (keys: LockKind) => {
      for (const node of [0, 1]) bench.context.waitQueues.onTurn(node, keys, 20);
      bench.clock.flush();
    },
    /** The acquires of just these names. */
    asked,
    set: (wait = {}, keys = SET) => bench.acquire({ renew: false }, { ...WAIT, ...wait }, keys),
    plain: (keys = KEYS, wait = {}) => bench.acquire({ renew: false }, { ...WAIT, ...wait }, keys),
    /** All nodes answer the last acquire of just these names. */
    answer: (keys: LockKind, vote: Vote) => {
      const last = asked(keys).at(-1);
      for (const node of bench.nodes) {
        const ask = node.all("acquire").find(({ operation }) => operation === last);
        if (ask === undefined) throw new Error(`nobody asks for ${keys.name}`);
        ask.reply(vote);
      }
      bench.clock.flush();
    },
  };
}

/** A set that has had the name `invoice` after that time, and waits for `zero`. */
function gatheringBench(afterMs = 800, lease: Partial<LeaseSettings> = { renew: false }) {
  const all = setsBench();
  const { bench, answer, turn } = all;
  // For as long as it ever does.
  bench.context.entropy.unit = () => 1 - 2 ** -53;
  const taken = bench.acquire(lease, { ...WAIT, waitMs: 20_000 }, SET);
  answer(SET, LACKS.invoice);
  answer(KEYS, held(60_000));
  bench.clock.advance(afterMs);
  turn(KEYS);
  answer(KEYS, granted(7));
  answer(SET, LACKS.zero);
  return { ...all, taken };
}

describe("A set that is refused", () => {
  it("W8: waits for the name that it lacks as an acquire of that alone, and asks no more by itself", () => {
    const { bench, set, asked, answer } = setsBench();
    set();
    answer(SET, LACKS.zero);
    const [waiting] = asked(ZERO);
    expect(waiting?.waiter).to.include({ inbox: "i".padEnd(22, "_"), placePrefix: "" });
    expect(waiting?.waiter?.deferred, "nodes may grant it").to.be.an("object");
    answer(ZERO, held(60_000));
    bench.clock.advance(9_000);
    expect(asked(SET)).to.have.length(1);
    expect(asked(KEYS), "nothing is asked for the name that is free").to.have.length(0);
  });

  it("W8: asks for all once it is granted that, and says to the nodes what it has", () => {
    const { set, asked, answer } = setsBench();
    set();
    answer(SET, LACKS.zero);
    expect(asked(SET)[0]?.partIds ?? []).to.deep.equal([]);
    answer(ZERO, granted(7));
    expect(asked(SET)).to.have.length(2);
    expect(asked(SET)[1]?.partIds).to.deep.equal([asked(ZERO)[0]?.ownerId]);
  });

  it("S1: releases what it had only after its acquire, which has replaced that, and is the only lock that is told", () => {
    const { bench, set, asked, released, answer } = setsBench();
    const { outcomes } = set();
    answer(SET, LACKS.zero);
    answer(ZERO, granted(7));
    expect(released()).to.have.length(0);
    answer(SET, granted(27));
    expect(outcomes[0]).to.include({ kind: "granted", attemptCount: 2 });
    expect(released().map(({ ownerId }) => ownerId)).to.deep.equal([asked(ZERO)[0]?.ownerId]);
    expect([bench.grantedCount, bench.releasedCount]).to.deep.equal([1, 0]);
  });

  it("is not passed on: nodes have to know what they replace", () => {
    const { bench, set, released, answer } = setsBench();
    const { outcomes } = set();
    answer(SET, LACKS.zero);
    const alike = { renew: true, maxHoldMs: Number.POSITIVE_INFINITY };
    const behind = bench.acquire(alike, { ...WAIT, fair: true }, ZERO);
    answer(ZERO, granted(7));
    answer(SET, granted(27));
    expect(outcomes).to.have.length(1);
    expect(behind.outcomes).to.have.length(0);
    expect(released()).to.have.length(1);
  });

  it("E1: is told at its deadline how its own last attempt failed", () => {
    const { bench, set, answer } = setsBench();
    const { outcomes } = set({ waitMs: 900 });
    answer(SET, LACKS.zero);
    answer(ZERO, held(60_000));
    bench.clock.advance(900);
    answer(SET, { ...held(1, "other"), key: KEYS.lockKey });
    expect(outcomes[0]).to.include({ kind: "refused", waitedMs: 900 });
    const votes = outcomes[0]?.kind === "refused" ? outcomes[0].votes : [];
    expect(votes[0]).to.include({ key: KEYS.lockKey, label: "other" });
  });

  it("E1: finds out by itself why it cannot wait for a name", () => {
    const { bench, set, answer, asked } = setsBench();
    const { outcomes } = set();
    answer(SET, LACKS.zero);
    answer(ZERO, foreign());
    expect(asked(SET), "after a pause").to.have.length(1);
    while (asked(SET).length === 1) bench.clock.advance(1);
    answer(SET, { ...foreign(), key: ZERO.lockKey });
    expect(outcomes[0]).to.include({ kind: "refused" });
  });

  it("W4: leaves the queue of the name where it is aborted", () => {
    const { bench, set, released, answer } = setsBench();
    const { abort } = set();
    answer(SET, LACKS.zero);
    answer(ZERO, held(60_000));
    abort();
    expect(released().map(({ keys }) => keys.name)).to.deep.equal(["zero"]);
    expect(released()[0]?.waiter).to.include({ ticket: 0 });
    expect(bench.context.schedule.size).to.equal(0);
    expect([...bench.context.waitQueues.sizes()]).to.deep.equal([]);
  });

  it("L2: polls where too few nodes answer, whatever they say", () => {
    const { bench, set, asked } = setsBench();
    set();
    bench.answer("acquire", [LACKS.zero, fault("timeout"), fault("timeout")]);
    bench.clock.advance(WAIT.maxDelayMs);
    expect(asked(ZERO)).to.have.length(0);
    expect(asked(SET)).to.have.length(2);
  });

  it("is one of those who wait, once", () => {
    const { bench, set, plain, answer } = setsBench();
    set();
    answer(SET, LACKS.zero);
    plain(ZERO, { fair: true });
    const sizes = [...bench.context.waitQueues.sizes()].map(({ keys, size }) => [keys.name, size]);
    expect(sizes).to.deep.equal([
      ["invoice, zero", 1],
      ["zero", 1],
    ]);
  });

  it("is not counted in what observers hear of those who wait for its name", () => {
    const { bench, set, plain, answer } = setsBench();
    const heard: [string, number, number][] = [];
    const { nodes, clock, context } = bench;
    const waitQueues = new WaitQueues(
      nodes,
      clock,
      () => clock.wallUs(),
      context.schedule,
      heardInbox(),
      {
        ...context.observer,
        onWaiting: ({ name }, count, change) => heard.push([name, count, change]),
      },
    );
    Object.assign(context, { waitQueues });
    set();
    answer(SET, LACKS.zero);
    plain(ZERO, { fair: true }).abort();
    expect(heard).to.deep.equal([
      ["invoice, zero", 1, 1],
      ["zero", 1, 1],
      ["zero", 0, -1],
    ]);
  });
});

describe("A set that has some of its names", () => {
  it("W8: keeps them, and waits for the one that it lacks in the same place", () => {
    const { asked, released, answer, taken } = gatheringBench();
    expect(released()).to.have.length(0);
    expect(asked(ZERO)[0]?.waiter?.ticket).to.equal(asked(KEYS)[0]?.waiter?.ticket);
    answer(ZERO, granted(7));
    const parts = [asked(KEYS).at(-1)?.ownerId, asked(ZERO)[0]?.ownerId];
    expect(asked(SET).at(-1)?.partIds).to.deep.equal(parts);
    answer(SET, granted(27));
    expect(taken.outcomes[0]).to.include({ kind: "granted" });
    expect(released().map(({ ownerId }) => ownerId)).to.deep.equal(parts);
  });

  it("W8: lets them go after an eighth of its wait, and waits on for the other", () => {
    const { bench, asked, released, answer } = gatheringBench();
    answer(ZERO, held(60_000));
    bench.clock.advance(99);
    expect(released()).to.have.length(0);
    bench.clock.advance(1);
    const owners = released().map(({ ownerId }) => ownerId);
    expect(owners).to.deep.equal([asked(KEYS).at(-1)?.ownerId]);
    bench.clock.advance(5_000);
    expect(asked(SET)).to.have.length(2);
  });

  it("W8: waits for those again, then with the other one", () => {
    const { bench, asked, answer, taken, turn } = gatheringBench();
    answer(ZERO, held(60_000));
    bench.clock.advance(100);
    turn(ZERO);
    answer(ZERO, granted(7));
    expect(asked(SET).at(-1)?.partIds).to.deep.equal([asked(ZERO).at(-1)?.ownerId]);
    answer(SET, LACKS.invoice);
    answer(KEYS, granted(47));
    answer(SET, granted(67));
    expect(taken.outcomes[0]).to.include({ kind: "granted" });
  });

  for (const lease of [{ renew: false }, { maxHoldMs: 300 }]) {
    it(`W8: keeps them no less long with ${JSON.stringify(lease)}`, () => {
      const { bench, released, answer } = gatheringBench(9_000, lease);
      answer(ZERO, held(60_000));
      bench.clock.advance(340);
      for (const node of bench.nodes) node.last("extend").reply(granted());
      bench.clock.advance(760);
      expect(released()).to.have.length(0);
    });
  }

  it("closes none of them for its lock-delay: nobody has held it", () => {
    const { bench, asked, answer } = setsBench();
    bench.acquire({ lockDelayMs: 30_000 }, WAIT, SET);
    answer(SET, LACKS.invoice);
    expect(asked(SET)[0]?.ttlMs).to.be.above(31_000);
    expect(asked(KEYS)[0]?.ttlMs).to.equal(1_000);
  });

  it("asks for one of them again where it has lost that", () => {
    const { asked, released, answer } = gatheringBench();
    answer(ZERO, granted(7));
    answer(SET, LACKS.invoice);
    const lost = asked(KEYS)[1]?.ownerId;
    expect(released().map(({ ownerId }) => ownerId)).to.deep.equal([lost]);
    expect(asked(KEYS)).to.have.length(3);
  });

  it("L3: lets them go where it is aborted", () => {
    const { bench, asked, released, taken } = gatheringBench();
    taken.abort();
    const owners = released().map(({ ownerId }) => ownerId);
    expect(owners).to.have.members([asked(KEYS)[1]?.ownerId, asked(ZERO)[0]?.ownerId]);
    bench.clock.advance(50);
    expect(bench.context.schedule.size).to.equal(0);
  });
});

describe("A set in the queue of a name that it lacks", () => {
  /** The set waits for `invoice` while others come for `zero`, which it lacks next. */
  const besideOthers = () => {
    const all = setsBench();
    const before = all.plain(ZERO, { fair: true });
    all.answer(ZERO, held(60_000));
    const taken = all.set();
    all.answer(SET, LACKS.invoice);
    all.answer(KEYS, held(60_000));
    const after = all.plain(ZERO, { fair: true });
    const lackZero = (): void => {
      all.turn(KEYS);
      all.answer(KEYS, granted(7));
      all.answer(SET, LACKS.zero);
    };
    return { ...all, before, taken, after, lackZero };
  };

  it("W8: is behind the calls of its process that came before, and ahead of those that came later", () => {
    const { bench, before, taken, after, lackZero, asked, answer } = besideOthers();
    lackZero();
    expect(asked(ZERO), "the earlier one waits").to.have.length(1);
    before.abort();
    bench.clock.advance(1);
    expect(asked(ZERO)).to.have.length(2);
    expect(asked(ZERO)[1]?.waiter?.ticket).to.equal(asked(KEYS)[0]?.waiter?.ticket);
    answer(ZERO, granted(7));
    answer(SET, granted(27));
    expect([taken, after].map(({ outcomes }) => outcomes.length)).to.deep.equal([1, 0]);
  });

  it("W8: takes the place of a later one that nodes have in their queues already", () => {
    const { bench, before, after, lackZero, released, asked, answer } = besideOthers();
    before.abort();
    bench.clock.advance(1);
    answer(ZERO, held(60_000));
    const its = asked(ZERO).at(-1);
    lackZero();
    const release = released().find(({ ownerId }) => ownerId === its?.ownerId);
    expect(release?.waiter?.ticket).to.equal(asked(KEYS)[0]?.waiter?.ticket);
    const count = asked(ZERO).length;
    answer(ZERO, held(60_000));
    bench.clock.advance(5_000);
    expect(asked(ZERO), "the later one sleeps").to.have.length(count);
    expect(bench.nodes[0]?.refreshes.at(-1)?.places).to.have.length(1);
    expect(after.outcomes).to.have.length(0);
  });

  it("does not pass a later one that asks", () => {
    const { bench, before, after, lackZero, asked, answer } = besideOthers();
    before.abort();
    bench.clock.advance(1);
    const count = asked(ZERO).length;
    lackZero();
    expect(asked(ZERO)).to.have.length(count);
    answer(ZERO, granted(7));
    expect(after.outcomes[0]).to.include({ kind: "granted" });
  });
});

describe("Sets of the same names in one process", () => {
  it("W1: wait for their names one after the other, in order", () => {
    const { bench, set, asked, answer } = setsBench();
    const first = set({ fair: true });
    const second = set({ fair: true });
    answer(SET, LACKS.zero);
    expect(asked(SET)).to.have.length(1);
    answer(ZERO, granted(7));
    answer(SET, granted(27));
    expect([first, second].map(({ outcomes }) => outcomes.length)).to.deep.equal([1, 0]);
    bench.clock.advance(1);
    expect(asked(SET)).to.have.length(3);
    answer(SET, LACKS.invoice);
    expect(asked(KEYS), "it waits for the first now").to.have.length(1);
  });

  it("L8: count once, of which the first has a waiter for one name", () => {
    const { set, answer } = setsBench();
    set();
    answer(SET, LACKS.zero);
    answer(ZERO, held(60_000));
    const many = set({ maxWaiters: 2 });
    // Besides that waiter, one of another process.
    answer(SET, waitedFor(2));
    expect(many.outcomes[0]).to.include({ kind: "refused", waitingCount: 2 });
    const few = set({ maxWaiters: 2 });
    answer(SET, waitedFor(1));
    expect(few.outcomes).to.have.length(0);
  });

  describe("L8: count who waits in their process", () => {
    it("for the name alone", () => {
      const { set, plain, answer } = setsBench();
      plain(ZERO);
      answer(ZERO, held(60_000));
      plain(ZERO);
      const many = set({ maxWaiters: 2 });
      answer(SET, waitedFor(1));
      expect(many.outcomes[0]).to.include({ kind: "refused", waitingCount: 2 });
      const few = set({ maxWaiters: 3 });
      answer(SET, waitedFor(1));
      expect(few.outcomes).to.have.length(0);
    });

    it("for the name as another set", () => {
      const { set, answer } = setsBench();
      set({}, severalLock([ZERO, keysOf("lock:", "zoo")]));
      answer(severalLock([ZERO, keysOf("lock:", "zoo")]), LACKS.zero);
      answer(ZERO, held(60_000));
      const second = set({ maxWaiters: 1 });
      answer(SET, waitedFor(1));
      expect(second.outcomes[0]).to.include({ kind: "refused", waitingCount: 1 });
    });

    it("and another process there, where they themselves wait for another name", () => {
      const { set, answer } = setsBench();
      set();
      answer(SET, LACKS.invoice);
      answer(KEYS, held(60_000));
      const second = set({ maxWaiters: 2 });
      answer(SET, waitedFor(1));
      expect(second.outcomes[0]).to.include({ kind: "refused", waitingCount: 2 });
    });

    it("and are counted by one that wants the name alone", () => {
      const { set, plain, answer } = setsBench();
      set();
      answer(SET, LACKS.zero);
      answer(ZERO, held(60_000));
      const { outcomes } = plain(ZERO, { maxWaiters: 1 });
      answer(ZERO, { ...held(), waitingCount: 1 });
      expect(outcomes[0]).to.include({ kind: "refused", waitingCount: 1 });
    });
  });

  it("keep nothing once they let others of them ask", () => {
    const { bench, set, released, answer } = setsBench();
    set();
    answer(SET, LACKS.invoice);
    // It wants less of the nodes, and comes while the first waits.
    bench.acquire({ renew: false, nodeTimeoutMs: 400 }, WAIT, SET);
    answer(KEYS, granted(7));
    bench.answer(
      "acquire",
      THREE.map(() => fault("timeout")),
    );
    expect(released().map(({ keys }) => keys.name)).to.include("invoice");
  });

  it("W8: wait for one name beside those of other names", () => {
    const { set, asked, answer } = setsBench();
    set({}, SET);
    answer(SET, LACKS.zero);
    const other = severalLock([ZERO, keysOf("lock:", "zoo")]);
    set({}, other);
    answer(other, LACKS.zero);
    expect(asked(ZERO), "behind the other set").to.have.length(1);
    answer(ZERO, granted(7));
    answer(SET, granted(27));
    expect(asked(ZERO).length).to.be.within(1, 2);
  });
});
