import { expect } from "chai";
import * as fc from "fast-check";
import type { Acquired } from "../support/coordinator-bench.js";
import {
  MAX_PLACES_AT_ONCE,
  MAX_REFRESH_MS,
  MIN_REFRESH_MS,
  PLACE_MS,
  type Place,
  type Waiter,
} from "../../src/protocol/node-queue.js";
import type { AnyOperation, Vote, Votes } from "../../src/protocol/operation.js";
import { CoordinatorBench, heardInbox, KEYS } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import type { Ask } from "../support/scripted-node.js";
import { fault, granted, held } from "../support/votes.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import { sharedLock } from "../../src/kinds/shared.js";
import { severalLock } from "../../src/kinds/several.js";
import { ownedLock } from "../../src/kinds/owned.js";
import { redissonLock } from "../../src/kinds/redisson.js";
import { permitLock } from "../../src/kinds/permit.js";
import { timestampLock } from "../../src/kinds/timestamp.js";
import { reservedBy } from "../../src/kinds/reserved.js";
import { takenVote } from "../support/taken-vote.js";
import { HeldPlaces, Places, type QueuedPlace } from "../../src/coordinator/places.js";
import type { NodePort } from "../../src/coordinator/ports.js";
import { Schedule } from "../../src/coordinator/schedule.js";

const WAIT = { waitMs: 600_000, maxDelayMs: 250 };
const HELD_MS = 60_000;
const WAITER: Waiter = { inbox: "i", ticket: 7, turnMs: 13, placePrefix: "r" };

/** Three nodes, whose messages come to an inbox. */
function placesBench() {
  const inbox = heardInbox();
  const bench = new CoordinatorBench(3, new ManualClock(), inbox);
  const answered = new Set<Ask>();
  const { clock, nodes } = bench;
  return {
    bench,
    clock,
    nodes,
    inbox,
    wait: (keys: LockKind = KEYS, wait = {}) =>
      bench.acquire({ renew: false }, { ...WAIT, ...wait }, keys),
    /** Every attempt that is under way is refused. */
    refuse: (leftMs = HELD_MS) => {
      for (const ask of nodes.flatMap((node) => node.all("acquire"))) {
        if (answered.has(ask)) continue;
        answered.add(ask);
        ask.reply(held(leftMs));
      }
    },
    attempts: () => bench.counts("acquire")[0] ?? 0,
    refreshes: () => nodes[0]?.refreshes.length ?? 0,
    /** It has asked once, and once more to stand in the queues. */
    settle(): void {
      for (let count = 0; count < 3; count++) {
        this.refuse();
        clock.advance(1);
      }
    },
  };
}

function isGranted(outcomes: readonly Acquired[]): boolean {
  return outcomes[0]?.kind === "granted";
}

describe("A place in the queues of the nodes", () => {
  it("is refreshed, and costs no attempt while the name is held", () => {
    const bench = placesBench();
    bench.wait();
    bench.settle();
    const before = bench.attempts();
    bench.clock.advance(50_000);
    expect(bench.attempts()).to.equal(before);
    expect(bench.refreshes()).to.be.within(50_000 / MAX_REFRESH_MS, 50_000 / MIN_REFRESH_MS + 1);
    expect(bench.nodes[1]?.refreshes.at(-1)).to.deep.include({
      kind: "refresh",
      ownerId: bench.inbox.id,
    });
    expect(bench.nodes[2]?.refreshed).to.deep.equal(["invoice"]);
  });

  it("is one of a process for each name, however many wait there", () => {
    const bench = placesBench();
    for (let count = 0; count < 50; count++) bench.wait(KEYS, { fair: true });
    bench.settle();
    bench.clock.advance(10_000);
    expect(bench.nodes[0]?.refreshed).to.deep.equal(["invoice"]);
  });

  for (const { title, keys, isOne } of [
    { title: "a plain lock", keys: KEYS, isOne: true },
    { title: "readers", keys: sharedLock(KEYS), isOne: true },
    { title: "a permit", keys: permitLock(KEYS, 1), isOne: true },
    { title: "an owner, who may be let in meanwhile", keys: ownedLock(KEYS, "job"), isOne: false },
    { title: "the layout of Redisson", keys: redissonLock(KEYS), isOne: false },
    { title: "timestamps", keys: timestampLock(KEYS, "timestamp"), isOne: false },
    {
      title: "a set, which waits for one name and may lack another",
      keys: severalLock([KEYS, keysOf("lock:", "zebra")]),
      isOne: false,
    },
  ]) {
    it(`${isOne ? "is refreshed" : "is kept by attempts"}: ${title}`, () => {
      const bench = placesBench();
      bench.wait(keys, { maxDelayMs: 60_000 });
      for (let ms = 0; ms < 12_000; ms += 10) {
        bench.refuse();
        bench.clock.advance(10);
      }
      expect(bench.refreshes() > 0).to.equal(isOne);
      // Whatever the pauses are, it stands there all the time.
      const [least, most] = isOne ? [1, 4] : [12_000 / PLACE_MS, 48];
      expect(bench.attempts()).to.be.within(least, most);
    });
  }

  it("is asked for again at once when a quorum says that the name is free", () => {
    const bench = placesBench();
    const { outcomes } = bench.wait();
    bench.settle();
    const before = bench.attempts();
    for (const node of [0, 2]) (bench.nodes[node] as { look: unknown }).look = () => 0;
    bench.clock.advance(MIN_REFRESH_MS + 11);
    expect(bench.attempts()).to.equal(before + 1);
    bench.bench.answer("acquire", [granted(7), granted(7), granted(7)]);
    expect(isGranted(outcomes)).to.equal(true);
    const seen = bench.refreshes();
    bench.clock.advance(10_000);
    expect(bench.refreshes(), "once it is granted").to.equal(seen);
  });

  it("is not asked for while fewer than a quorum say so", () => {
    const bench = placesBench();
    bench.wait();
    bench.settle();
    const before = bench.attempts();
    (bench.nodes[1] as { look: unknown }).look = () => 0;
    bench.clock.advance(10_000);
    expect(bench.attempts()).to.equal(before);
  });

  it("is asked for when the holder can have run out, as soon as was said last", () => {
    const bench = placesBench();
    bench.wait();
    bench.settle();
    const before = bench.attempts();
    bench.bench.blockFor(9_000);
    bench.clock.advance(8_999);
    expect(bench.attempts()).to.equal(before);
    bench.clock.advance(12);
    expect(bench.attempts()).to.equal(before + 1);
  });

  it("is asked for in time though one node is silent: waiting for it is part of what was left", () => {
    const bench = placesBench();
    bench.wait();
    bench.settle();
    const before = bench.attempts();
    const nodeTimeoutMs = 50;
    const leftMs = 45;
    for (const [index, node] of bench.nodes.entries()) {
      node.look = index === 2 ? undefined : () => leftMs;
    }
    while (bench.refreshes() === 0) bench.clock.advance(1);
    bench.clock.advance(nodeTimeoutMs - 1);
    expect(bench.attempts(), "a third node may still say something").to.equal(before);
    bench.clock.advance(12);
    expect(bench.attempts()).to.equal(before + 1);
  });

  it("is not asked for at the end that was said first, where the holder renews", () => {
    const bench = placesBench();
    bench.wait();
    for (let count = 0; count < 3; count++) {
      bench.refuse(1_000);
      bench.clock.advance(1);
    }
    const before = bench.attempts();
    for (const node of bench.nodes) node.look = () => 1_000;
    bench.clock.advance(30_000);
    expect(bench.attempts()).to.equal(before);
  });

  for (const { title, look } of [
    { title: "no quorum answers", look: undefined },
    { title: "no quorum can be reached", look: fault("disconnected", false) },
    { title: "nodes do not let us", look: fault("server", true) },
  ]) {
    it(`is kept by attempts where ${title}, until they are refused again`, () => {
      const bench = placesBench();
      bench.wait();
      bench.settle();
      const before = bench.attempts();
      for (const node of [0, 1]) (bench.nodes[node] as { look: unknown }).look = look;
      for (let ms = 0; ms < 10_000; ms += 10) {
        bench.refuse();
        bench.clock.advance(10);
      }
      expect(bench.attempts() - before).to.be.within(10, 60);
      for (const node of bench.nodes) node.look = () => HELD_MS;
      for (let ms = 0; ms < 1_000; ms += 10) {
        bench.refuse();
        bench.clock.advance(10);
      }
      const then = bench.attempts();
      bench.clock.advance(20_000);
      expect(bench.attempts()).to.equal(then);
    });
  }

  it("leaves it to those behind to ask why when their time is over, and all of them hear of it", () => {
    const bench = placesBench();
    bench.wait();
    bench.settle();
    bench.clock.advance(5_000);
    const before = bench.attempts();
    const behind = [1_000, 1_010, 1_020].map((waitMs) => bench.wait(KEYS, { waitMs }));
    for (let ms = 0; ms < 1_200; ms += 5) {
      bench.refuse();
      bench.clock.advance(5);
    }
    for (const { outcomes } of behind) expect(outcomes[0]).to.include({ kind: "refused" });
    // The first whose time is over asks for all of them.
    expect(bench.attempts() - before).to.equal(1);
  });

  it("blames no node where this process was too busy to ask", () => {
    const bench = placesBench();
    bench.wait();
    bench.settle();
    const before = bench.attempts();
    for (const node of bench.nodes) node.look = fault("late", false);
    bench.clock.advance(5_000);
    expect(bench.attempts(), "too busy").to.equal(before);
    for (const node of bench.nodes) node.look = undefined;
    bench.clock.advance(MAX_REFRESH_MS);
    expect(bench.attempts(), "silent").to.be.above(before);
  });

  it("asks for the next permit soon, though the last look was far from it", () => {
    const bench = placesBench();
    const permits = 4;
    const of = (...taken: number[]) => takenVote(permits, taken, HELD_MS);
    const answer = (...votes: Vote[]): void => {
      const asks = bench.nodes.map((node) => node.last("acquire"));
      votes.forEach((vote, node) => asks[node]?.reply(vote));
    };
    bench.wait(permitLock(KEYS, permits));
    for (let count = 0; count < 2; count++) {
      answer(of(0, 1, 2, 3), of(0, 1, 2, 3), of(0, 1, 2, 3));
      bench.clock.advance(1);
    }
    bench.clock.advance(3_000);
    const before = bench.attempts();
    for (const node of [0, 1, 2]) {
      bench.bench.context.waitQueues.onTurn(
        node,
        reservedBy({ lockKey: KEYS.lockKey, placePrefix: "s", turnMs: 20, permits: [1] }),
        20,
      );
    }
    bench.clock.advance(1);
    expect(bench.attempts()).to.equal(before + 1);
    // Split with another contender, which leaves a permit to be had.
    answer(granted(7), of(1), of(1));
    bench.clock.advance(11);
    expect(bench.attempts()).to.equal(before + 2);
  });

  it("is left when it is given up, and with the last one all is still", () => {
    const bench = placesBench();
    const { abort } = bench.wait();
    bench.settle();
    bench.clock.advance(1_000);
    abort();
    const seen = bench.refreshes();
    bench.clock.advance(60_000);
    expect(bench.refreshes()).to.equal(seen);
    expect(bench.bench.context.schedule.size).to.equal(0);
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("is refreshed at once when the process is heard again: it may have missed its turn", () => {
    const bench = placesBench();
    bench.wait();
    bench.settle();
    const [before, seen] = [bench.attempts(), bench.refreshes()];
    bench.bench.context.waitQueues.onHeard();
    bench.clock.advance(1);
    expect(bench.refreshes()).to.equal(seen + 1);
    for (const node of bench.nodes) node.look = undefined;
    bench.bench.context.waitQueues.onHeard();
    bench.clock.advance(49);
    expect(bench.attempts(), "the answers are under way").to.equal(before);
    bench.bench.blockFor(0);
    bench.bench.context.waitQueues.onHeard();
    bench.clock.advance(11);
    expect(bench.attempts()).to.equal(before + 1);
  });

  it("is not asked for because few nodes notify it, once a refresh says that the name is still held", () => {
    const bench = placesBench();
    bench.wait(KEYS, { minDelayMs: 3_000, maxDelayMs: 9_000 });
    bench.settle();
    bench.bench.blockFor(HELD_MS);
    bench.clock.advance(2 * MIN_REFRESH_MS);
    const before = bench.attempts();
    // It would ask soon.
    bench.bench.context.waitQueues.onTurn(
      0,
      reservedBy({ lockKey: KEYS.lockKey, placePrefix: "", turnMs: 20 }),
      20,
    );
    bench.clock.advance(10_000);
    expect(bench.attempts()).to.equal(before);
  });

  it("is asked for when the name can be free, however often that has been told", () => {
    const bench = placesBench();
    bench.wait();
    bench.settle();
    const before = bench.attempts();
    const freeAtMs = bench.clock.now() + 5_000;
    for (const laterMs of [9_000, 20, 9, -11, 5, 0, 2]) {
      bench.bench.blockFor(freeAtMs + laterMs - bench.clock.now());
      bench.clock.advance(MIN_REFRESH_MS + 1);
    }
    bench.clock.advance(freeAtMs - 20 - bench.clock.now());
    expect(bench.attempts()).to.equal(before);
    bench.clock.advance(50);
    expect(bench.attempts()).to.equal(before + 1);
  });

  it("does not believe what was asked before its last attempt", () => {
    const bench = placesBench();
    bench.wait();
    bench.settle();
    for (const node of bench.nodes) node.look = undefined;
    bench.clock.advance(MIN_REFRESH_MS);
    const old = bench.nodes.map((node) => node.refreshes.at(-1));
    expect(old[0]).to.not.equal(undefined);
    for (const node of [0, 1, 2]) {
      bench.bench.context.waitQueues.onTurn(
        node,
        reservedBy({ lockKey: KEYS.lockKey, placePrefix: "", turnMs: 20 }),
        20,
      );
    }
    bench.settle();
    const before = bench.attempts();
    bench.clock.advance(60);
    expect(bench.attempts(), "the old refresh has failed by now").to.equal(before);
  });
});

const QUEUED: QueuedPlace = { keys: KEYS, waiter: WAITER, nodeTimeoutMs: 50, onLook: () => {} };

describe("Many places", () => {
  it("are refreshed in turn, often enough, a bounded number at once and no more often than needs be", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), (count) => {
        const bench = placesBench();
        const all = Array.from({ length: count }, (_, at) => keysOf("lock:", `n${at}`));
        for (const keys of all) bench.wait(keys);
        // They are admitted a few hundred at a time.
        for (let ms = 0; bench.bench.context.waitQueues.places?.size !== count; ms++) {
          expect(ms).to.be.below(500);
          bench.refuse();
          bench.clock.advance(1);
        }
        const last = new Map(all.map(({ name }) => [name, bench.clock.now()]));
        const node = bench.nodes[0];
        if (node === undefined) return;
        let seen = 0;
        let [longestMs, mostAtOnce] = [0, 0];
        const runMs = 6_000;
        for (let ms = 0; ms < runMs; ms += 20) {
          bench.clock.advance(20);
          for (const { places = [] } of node.refreshes.slice(seen)) {
            mostAtOnce = Math.max(mostAtOnce, places.length);
            for (const { keys } of places) {
              longestMs = Math.max(longestMs, bench.clock.now() - (last.get(keys.name) ?? 0));
              last.set(keys.name, bench.clock.now());
            }
          }
          seen = node.refreshes.length;
        }
        expect(mostAtOnce).to.be.at.most(MAX_PLACES_AT_ONCE);
        for (const ms of last.values()) longestMs = Math.max(longestMs, bench.clock.now() - ms);
        expect(longestMs).to.be.at.most(2 * MAX_REFRESH_MS);
        expect(longestMs).to.be.below(PLACE_MS);
        const told = node.refreshes.reduce((sum, { places }) => sum + (places?.length ?? 0), 0);
        expect(told).to.be.at.most((count * runMs) / MIN_REFRESH_MS + MAX_PLACES_AT_ONCE);
      }),
      { numRuns: 8 },
    );
  });

  it("are the same together as long as none comes or goes, and none is put off by those that do", () => {
    const change = fc.record({
      isCome: fc.boolean(),
      count: fc.integer({ min: 1, max: 700 }),
      afterMs: fc.constantFrom(0, 50, 400, 3_000),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
        const clock = new ManualClock();
        const schedule = new Schedule(clock);
        const lastMs = new Map<Place, number>();
        let sent: (readonly Place[])[] = [];
        let longestMs = 0;
        const submit = ({ places = [] }: AnyOperation): void => {
          sent.push(places);
          expect(places.length).to.be.within(1, MAX_PLACES_AT_ONCE);
          for (const place of places) {
            longestMs = Math.max(longestMs, clock.now() - (lastMs.get(place) ?? Number.NaN));
            lastMs.set(place, clock.now());
          }
        };
        const node: NodePort = { name: "n", submit, voteOf: () => undefined };
        const places = new Places([node], clock, schedule, "inbox");
        const run = (forMs: number): void => {
          for (let ms = 0; ms < forMs; ms++) clock.advance(1);
        };
        for (const { isCome, count, afterMs } of changes) {
          const all = [...lastMs.keys()] as QueuedPlace[];
          for (let at = 0; at < count; at++) {
            const place = isCome ? { ...QUEUED } : all[(at * 7) % all.length];
            if (place === undefined || (!isCome && !lastMs.has(place))) continue;
            if (isCome) {
              lastMs.set(place, clock.now());
              places.add(place);
            } else {
              lastMs.delete(place);
              places.delete(place);
            }
          }
          expect(places.size).to.equal(lastMs.size);
          run(afterMs);
        }
        run(3 * MAX_REFRESH_MS);
        sent = [];
        run(MAX_REFRESH_MS);
        const before = new Set(sent);
        expect(new Set(sent.flat()).size).to.equal(lastMs.size);
        sent = [];
        run(MAX_REFRESH_MS);
        for (const each of sent) expect(before.has(each)).to.equal(true);
        // Timers come up to a millisecond late.
        const lateMs = 1 + before.size;
        for (const ms of lastMs.values()) longestMs = Math.max(longestMs, clock.now() - ms);
        expect(longestMs).to.be.at.most(MAX_REFRESH_MS + MIN_REFRESH_MS + lateMs);
      }),
      { numRuns: 30 },
    );
  });

  it("that come and go do not put the others off", () => {
    const bench = placesBench();
    bench.wait();
    bench.settle();
    for (let count = 0; count < 200; count++) {
      const { abort } = bench.wait(keysOf("lock:", `other${count}`));
      bench.settle();
      bench.clock.advance(20);
      abort();
    }
    const mine = bench.nodes[0]?.refreshes.filter(({ places }) =>
      places.some(({ keys }) => keys.name === "invoice"),
    );
    expect(mine?.length).to.be.at.least(8);
  });
});

const KIND = sharedLock(KEYS);

const CASES: readonly {
  readonly title: string;
  readonly votes: Votes;
  /** Bit mask. */
  readonly askedInVain?: number;
  /** Nodes whose messages of a grant arrive after that. */
  readonly told?: readonly number[];
  /** Those whose answers that they grant it do. */
  readonly stragglers?: readonly number[];
  readonly next?: Waiter;
  readonly left: readonly number[];
}[] = [
  { title: "all nodes granted", votes: [granted(7), granted(7), granted(7)], left: [] },
  { title: "one refused", votes: [granted(7), held(), granted(7)], left: [1] },
  {
    title: "one is silent so far",
    votes: [undefined, granted(7), granted(7)],
    left: [0],
  },
  {
    title: "the silent one granted in the end",
    votes: [granted(7), granted(7), undefined],
    stragglers: [2],
    left: [],
  },
  {
    title: "a message says that the silent one granted",
    votes: [granted(7), granted(7), undefined],
    told: [2],
    left: [],
  },
  {
    title: "messages say that one granted that was asked, and has not answered",
    votes: [granted(7), granted(7), granted(7)],
    askedInVain: 0b100,
    told: [2],
    left: [2],
  },
  {
    title: "it has answered in the end that it granted",
    votes: [granted(7), granted(7), granted(7)],
    askedInVain: 0b100,
    stragglers: [2],
    left: [],
  },
  { title: "one failed", votes: [granted(7), granted(7), fault("timeout", true)], left: [2] },
  {
    title: "the next one here has the same place",
    votes: [granted(7), held(), granted(7)],
    next: { ...WAITER, ticket: 8 },
    left: [],
  },
  {
    title: "the next one here has another place",
    votes: [granted(7), held(), granted(7)],
    next: { ...WAITER, turnMs: 20 },
    left: [1],
  },
];

describe("W4: the places that a lock leaves when it ends", () => {
  for (const { title, votes, askedInVain = 0, told = [], stragglers = [], next, left } of CASES) {
    it(`are [${left.join()}] where ${title}`, () => {
      const places = new HeldPlaces();
      const place = places.add(KIND, WAITER, votes, askedInVain);
      for (const index of stragglers) place.onAnswer(index);
      for (const index of told) place.onNodeGrant(index);
      const { waiter, nodes = 0 } = places.end(place, next) ?? {};
      if (nodes !== 0) expect(waiter).to.equal(WAITER);
      expect(nodes).to.equal(left.reduce((all, index) => all | (1 << index), 0));
    });
  }

  it("are those of both of two that had one place, once neither is held", () => {
    const places = new HeldPlaces();
    const later = { ...WAITER, ticket: 8 };
    const first = places.add(KIND, WAITER, [held(), granted(7), granted(7)], 0);
    const second = places.add(KIND, later, [granted(7), held(), granted(7)], 0);
    expect(places.end(first, undefined), "the other one still waits for its turn").to.equal(
      undefined,
    );
    expect(places.end(second, undefined)?.nodes).to.equal(0b011);
  });
});
