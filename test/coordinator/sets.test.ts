import { expect } from "chai";
import { CoordinatorBench, heardInbox, KEYS } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import type { Ask } from "../support/scripted-node.js";
import { fault, granted, held } from "../support/votes.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { reservedBy } from "../../src/kinds/reserved.js";
import { severalLock } from "../../src/kinds/several.js";
import { sharedLock } from "../../src/kinds/shared.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";

const SET = severalLock([KEYS, keysOf("lock:", "zero")]);
const OTHER_SET = severalLock([KEYS, keysOf("lock:", "zoo")]);
const WAIT = { waitMs: 10_000, maxDelayMs: 2_000 };
const HELD = [held(60_000), held(60_000), held(60_000)];
const SILENT = [fault("timeout"), fault("timeout"), fault("timeout")];

/** Three nodes, whose messages come to an inbox. */
function setsBench() {
  const inbox = heardInbox();
  const bench = new CoordinatorBench(3, new ManualClock(), inbox);
  const attempts = () => bench.nodes[0]?.all("acquire") ?? [];
  return {
    bench,
    set: (wait = {}) => bench.acquire({}, { ...WAIT, ...wait }, SET),
    plain: (wait = {}) => bench.acquire({}, { ...WAIT, ...wait }),
    refuse: () => bench.answer("acquire", HELD),
    attempts,
    last: () => attempts().at(-1)?.operation,
  };
}

describe("Sets in the wait queue of one process", () => {
  it("E1: who waits for the first name is not told what kept a set from its others", () => {
    const { bench, set, plain, refuse, attempts } = setsBench();
    set({ fair: true });
    bench.acquire({}, { ...WAIT, fair: true }, OTHER_SET);
    plain({ fair: true });
    const behind = plain({ waitMs: 40 });
    for (const count of [1, 2, 3]) {
      expect(attempts()).to.have.length(count);
      if (count < 3) refuse();
      bench.clock.advance(1);
    }
    // Its time is over before that of the first in line: it asks by itself.
    while (attempts().length < 4) bench.clock.advance(1);
    bench.answer("acquire", SILENT);
    expect(behind.outcomes[0]).to.include({ kind: "unreachable", waitedMs: 40 });
  });

  it("E1: a fair set that let others pass is told how its own attempt had ended", () => {
    const { bench, set, plain } = setsBench();
    const first = set({ fair: true, waitMs: 900 });
    plain({ fair: true });
    bench.answer("acquire", SILENT);
    bench.clock.advance(901);
    expect(first.outcomes[0]).to.include({ kind: "unreachable" });
  });

  it("W6: whoever is let pass is called by what nodes said while the set asked", () => {
    const { bench, set, plain, refuse, attempts, last } = setsBench();
    set();
    refuse();
    bench.clock.advance(1);
    expect(last()?.waiter).not.to.equal(undefined);
    plain();
    const asked = attempts().length;
    const turn = reservedBy({ lockKey: KEYS.lockKey, placePrefix: "", turnMs: 13 });
    bench.context.waitQueues.onTurn(0, turn, 13);
    refuse();
    expect(attempts()).to.have.length(asked);
    bench.context.waitQueues.onTurn(1, turn, 13);
    expect(attempts()).to.have.length(asked + 1);
    expect(last()?.keys).to.equal(KEYS);
  });

  for (const { what, nodeTimeoutMs, askedAt } of [
    { what: "heeds what a set in the same place was told", nodeTimeoutMs: 50, askedAt: 1 },
    { what: "does not, in another place: that is passed on", nodeTimeoutMs: 200, askedAt: 2 },
  ]) {
    it(`who comes to be first because a set lets it pass ${what}`, () => {
      const { bench, set, refuse, attempts } = setsBench();
      const turn = (node: number): void => {
        const reserved = { lockKey: KEYS.lockKey, placePrefix: "", turnMs: 20 } as const;
        bench.context.waitQueues.onTurn(node, reservedBy(reserved), 20);
      };
      set({ fair: true });
      bench.acquire({ nodeTimeoutMs }, { ...WAIT, fair: true });
      turn(0);
      refuse();
      const count = attempts().length;
      for (const node of [1, 2]) {
        turn(node);
        expect(attempts()).to.have.length(count + (node >= askedAt ? 1 : 0));
      }
    });
  }

  it("W1: lets those pass that want something else, not those that want the same", () => {
    const { bench, set, plain, refuse, last } = setsBench();
    set({ fair: true });
    const first = last()?.waiter?.ticket;
    set({ fair: true });
    const between = plain({ fair: true });
    refuse();
    bench.clock.advance(2_000);
    expect(last()?.keys).to.equal(KEYS);
    between.abort();
    bench.clock.advance(2_000);
    expect(last()?.keys).to.equal(SET);
    expect(last()?.waiter?.ticket).to.equal(first);
  });
});

describe("A set that waits for its first name only", () => {
  const OF_FIRST = { ...held(60_000), key: KEYS.lockKey };
  const OF_OTHER = { ...held(60_000), key: "lock:zero" };

  for (const { what, votes, passes } of [
    { what: "keeps its place", votes: [OF_FIRST, OF_FIRST, OF_FIRST], passes: false },
    {
      what: "keeps it where a node grants",
      votes: [granted(7), OF_FIRST, OF_FIRST],
      passes: false,
    },
    { what: "gives it up for another name", votes: [OF_FIRST, OF_FIRST, OF_OTHER], passes: true },
  ]) {
    it(`W1, W2: ${what}, before others and in the nodes' queues`, () => {
      const { bench, set, last, attempts } = setsBench();
      set();
      bench.answer("acquire", votes);
      while (attempts().length === 1) bench.clock.advance(1);
      const waiter = last()?.waiter;
      expect(waiter?.placePrefix).to.equal("");
      bench.acquire({}, { ...WAIT, fair: true }, sharedLock(KEYS));
      const count = attempts().length;
      bench.answer("acquire", votes);
      bench.clock.advance(1);
      expect(attempts().length > count, "the reader asks").to.equal(passes);
      const rolledBack = bench.nodes[0]?.all("release").at(-1)?.operation;
      if (votes[0]?.kind === "granted") expect(rolledBack?.waiter).to.deep.equal(waiter);
      else expect(bench.nodes[0]?.all("leave")).to.have.length(passes ? 1 : 0);
    });
  }
});

/** Sets of the name and one other each, which is held. The name itself is free. */
function waitingSets(count: number, { fair = false, isHeard = true, tookMs = 0 } = {}) {
  const inbox = { ...heardInbox(), isHeard };
  const bench = new CoordinatorBench(3, new ManualClock(), inbox);
  const free = new Set<LockKind>([KEYS, READ]);
  const seen = new Map(bench.nodes.map((node) => [node, 0]));
  const answer = ({ operation, reply }: Ask): void => {
    if (operation.kind === "acquire") reply(free.has(operation.keys) ? granted(7) : held(60_000));
  };
  const run = (ms: number): void => {
    for (let at = 0; at <= ms; at++) {
      if (at > 0) bench.clock.advance(1);
      for (const node of bench.nodes) {
        const asks = node.asks.slice(seen.get(node));
        seen.set(node, node.asks.length);
        for (const ask of asks)
          if (tookMs === 0) answer(ask);
          else bench.clock.setTimer(tookMs, () => answer(ask));
      }
    }
  };
  const names = Array.from({ length: count }, (_, at) => keysOf("lock:", `zero-${at}`));
  const kinds = names.map((name) => severalLock([KEYS, name]));
  const wait = { waitMs: 60_000, minDelayMs: 10, maxDelayMs: 250, fair };
  const acquire = (keys: LockKind, over = {}) => {
    const acquired = bench.acquire({ renew: false }, { ...wait, ...over }, keys);
    bench.clock.flush();
    return acquired;
  };
  const sets = kinds.map((keys) => acquire(keys));
  const polls = (keys?: LockKind) =>
    bench.nodes[0]?.all("acquire").filter(({ operation }) => !keys || operation.keys === keys) ??
    [];
  run(2_000);
  return { bench, run, acquire, sets, kinds, free, polls };
}

const READ = sharedLock(KEYS);

describe("Sets that wait for another name than their first", () => {
  for (const [what, wait, keys] of [
    ["one that waits", {}, KEYS],
    ["a fair one", { fair: true, waitMs: 1_000 }, KEYS],
    ["a fair one that does not wait", { fair: true, waitMs: 0 }, KEYS],
    ["one that does not wait where others do", { maxWaiters: 1 }, KEYS],
    ["a fair one that does not, either", { maxWaiters: 1, fair: true }, KEYS],
    ["a reader", {}, READ],
    ["a fair reader", { fair: true }, READ],
  ] as const) {
    for (const isHeard of [true, false]) {
      it(`L6: leave that one to ${what}, at once${isHeard ? "" : ", where nobody is notified"}`, () => {
        const { run, acquire } = waitingSets(20, { isHeard });
        for (let time = 0; time < 40; time++) {
          const taken = acquire(keys, wait);
          run(1);
          const [outcome] = taken.outcomes;
          if (outcome?.kind !== "granted") throw new Error(`not granted, but ${outcome?.kind}`);
          expect(outcome.attemptCount).to.equal(1);
          void outcome.lease.release();
          run(7);
        }
      });
    }
  }

  for (const fair of [true, false]) {
    it(`ask by themselves, but equal ones${fair ? " that are fair" : ""} together`, () => {
      const { run, acquire, kinds, polls } = waitingSets(1, { fair });
      const [keys = KEYS] = kinds;
      for (let more = 0; more < 20; more++) acquire(keys, { fair: true });
      const before = polls().length;
      run(2_500);
      expect(polls().length - before).to.be.within(10, 20);
    });
  }

  it("L6: are granted once that one is free, however many others wait", () => {
    const { run, sets, kinds, free } = waitingSets(21);
    const [keys = KEYS] = kinds.slice(10);
    free.add(keys);
    run(250);
    expect(sets.filter(({ outcomes }) => outcomes.length > 0)).to.deep.equal([sets[10]]);
  });

  for (const tookMs of [0, 20]) {
    it(`leave some of the time to others, where an answer takes ${tookMs} ms`, () => {
      const { run, kinds, polls } = waitingSets(tookMs === 0 ? 200 : 20, { tookMs });
      run(1_000);
      const counts = kinds.map((keys) => polls(keys).length);
      const total = polls().length;
      run(9_000);
      const more = (polls().length - total) / 9;
      expect(more).to.be.within(10, 800 / Math.max(4, tookMs));
      for (const [at, keys] of kinds.entries())
        expect(polls(keys).length).to.be.above(counts[at] ?? 0);
    });
  }

  for (const fair of [true, false]) {
    it(`L6: are granted soon where other calls${fair ? " that are fair" : ""} take the first all the time`, () => {
      const { run, acquire, sets, kinds, free } = waitingSets(2);
      const [keys = KEYS] = kinds;
      const pass = (ms: number): void => {
        for (let at = 0; at < ms && sets[0]?.outcomes.length === 0; at += 4) {
          const { outcomes, abort } = acquire(KEYS, { fair });
          run(3);
          const [outcome] = outcomes;
          if (outcome?.kind === "granted") void outcome.lease.release();
          else abort();
          run(1);
        }
      };
      pass(1_000);
      free.add(keys);
      pass(1_000);
      expect(sets[0]?.outcomes[0]).to.include({ kind: "granted" });
      expect(sets[0]?.outcomes[0]?.waitedMs).to.be.below(2_000 + 1_000 + 600);
    });
  }

  it("L6: keep nobody waiting who comes before them, however many come", () => {
    const { run, acquire } = waitingSets(1);
    for (let time = 0; time < 20; time++) {
      const taken = acquire(KEYS, { fair: true });
      for (let more = 0; more < 5; more++)
        acquire(severalLock([KEYS, keysOf("lock:", `zero.${time}.${more}`)]), { fair: true });
      run(1);
      expect(taken.outcomes[0]).to.include({ kind: "granted" });
      taken.abort();
      run(20);
    }
  });

  it("W1: are not passed by a fair call for the same names, whatever kept them", () => {
    const { run, acquire, kinds, free, polls, bench } = waitingSets(1);
    const [keys = KEYS] = kinds;
    const first = acquire(keys, { fair: true });
    const count = polls().length;
    const second = bench.acquire({ nodeTimeoutMs: 400 }, { ...WAIT, fair: true }, keys);
    expect(polls()).to.have.length(count);
    free.add(keys);
    while (first.outcomes.length === 0) {
      expect(second.outcomes).to.deep.equal([]);
      run(1);
    }
    expect(first.outcomes[0]).to.include({ kind: "granted" });
  });

  it("are passed neither while they ask nor once their time to ask has come", () => {
    const { run, acquire, kinds, polls, bench } = waitingSets(1);
    const [keys = KEYS] = kinds;
    const before = polls().length;
    while (polls().length === before) bench.clock.advance(1);
    const newcomer = acquire(KEYS, { fair: true });
    expect(polls()).to.have.length(before + 1);
    run(1);
    expect(
      polls()
        .map(({ operation }) => operation.keys)
        .slice(before),
    ).to.deep.equal([keys, KEYS]);
    expect(newcomer.outcomes[0]).to.include({ kind: "granted" });
  });
});
