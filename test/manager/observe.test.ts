import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import {
  LockLostError,
  LockManager,
  NoQuorumError,
  type Election,
  type ObservedHolder,
  type Term,
} from "../../src/index.js";
import { memoryNodes, type MemoryNode } from "../../src/memory/index.js";
import { exclusiveLock } from "../../src/kinds/exclusive.js";
import { nameKeys, RECORD_KEY } from "../../src/protocol/keys.js";
import { LOCK_LAYOUTS } from "../../src/protocol/lock-layout.js";
import { WATCH_POLL_MS } from "../../src/protocol/watching.js";
import { eventually, rejectionOf, rejectionWith } from "../support/settle.js";

const NAME = "scheduler";

/** Below what an observer that hears nothing would need. */
const AT_ONCE_MS = WATCH_POLL_MS / 2;

describe("LockManager.observe", () => {
  let nodes: readonly MemoryNode[];
  let all: LockManager[];
  let observing: LockManager;
  let [one, other]: [LockManager, LockManager] = [] as never;

  /** @param ttlMs by default so long that a busy machine sends everything in time */
  const open = async (label: string, ttlMs = 10_000): Promise<LockManager> => {
    const locks = new LockManager(nodes, { ttlMs, label });
    all.push(locks);
    await locks.ready();
    return locks;
  };

  beforeEach(async () => {
    nodes = memoryNodes(3);
    all = [];
    [observing, one, other] = await Promise.all([open("observer"), open("one"), open("other")]);
  });
  afterEach(() => Promise.all(all.map((locks) => locks.close())));

  const elected = async (election: Election): Promise<Term> => {
    const { value } = await election.next();
    if (value === undefined) throw new Error("no term");
    return value;
  };
  const next = async (
    observer: AsyncIterator<ObservedHolder | null>,
  ): Promise<ObservedHolder | null | undefined> => {
    const { value } = await observer.next();
    return value;
  };
  const valueOf = async (observer: AsyncIterator<ObservedHolder | null>): Promise<unknown> => {
    const holder = await next(observer);
    return holder && holder.value;
  };

  it("ends with the error that a generator which delegates to it is given", async () => {
    const observer = observing.observe(NAME);
    const holders = (async function* () {
      yield* observer;
    })();
    expect(await next(holders)).to.equal(null);
    const error = new Error("of the caller");
    expect(await rejectionOf(holders.throw(error))).to.equal(error);
    expect(await observer.next()).to.deep.equal({ done: true, value: undefined });
  });

  it("shows nobody, the holder of a lock by its label, and nobody again, at once", async () => {
    const observer = observing.observe(NAME);
    expect(await next(observer)).to.equal(null);
    // The messages of all nodes are heard of by then.
    await sleep(20);
    const startedMs = performance.now();
    const lock = await one.acquire(NAME);
    expect(await next(observer)).to.include({ label: "one", value: undefined });
    await lock.release();
    expect(await next(observer)).to.equal(null);
    expect(performance.now() - startedMs).to.be.below(AT_ONCE_MS);
    await observer.return?.();
  });

  it("shows a leader with its value, its token, and since when it leads", async () => {
    const election = one.elect(NAME, { value: "10.0.0.1:80" });
    const startedMs = Date.now();
    const term = await elected(election);
    const observer = election.observe();
    let holder = await next(observer);
    // It is told right after the election.
    while (holder?.value === undefined) holder = await next(observer);
    const { since, ...rest } = holder;
    expect(rest).to.deep.equal({ label: "one", value: "10.0.0.1:80", fence: term.fencingToken });
    expect(since.getTime()).to.be.within(startedMs - 50, Date.now() + 50);
    await observer.return?.();
    await election.return();
  });

  it("shows the value of a lock, in a request as well", async () => {
    const observer = observing.observe(NAME);
    await one.request(NAME, { value: "x" }, async () => {
      let value: unknown;
      while (value !== "x") value = await valueOf(observer);
    });
    expect(await next(observer)).to.equal(null);
    await observer.return?.();
  });

  // As etcd's TestElectionWait.
  it("shows each of several leaders to all who observe, before the next is elected", async () => {
    const observers = [observing, one, other].map((locks) => locks.observe(NAME));
    const elections = [one, other, observing].map((locks, at) => {
      return locks.elect(NAME, { value: `leader ${at}` });
    });
    const shown: unknown[] = [];
    const leading = elections.map(async (election, at) => {
      const term = await elected(election);
      for (const observer of observers) {
        while ((await valueOf(observer)) !== `leader ${at}`);
      }
      shown.push(at);
      await term.resign();
      await election.return();
    });
    await Promise.all(leading);
    expect(shown).to.have.members([0, 1, 2]);
    for (const observer of observers) await observer.return?.();
  });

  // As etcd's TestElectionFailover.
  it("shows the next leader where one fails over to another", async () => {
    const first = one.elect(NAME, { value: "foo" });
    const observer = observing.observe(NAME);
    await elected(first);
    while ((await valueOf(observer)) !== "foo");
    const second = other.elect(NAME, { value: "bar" });
    const waiting = elected(second);
    await one.close();
    const term = await waiting;
    while ((await valueOf(observer)) !== "bar");
    expect(term.isHeld).to.equal(true);
    await observer.return?.();
    await second.return();
  });

  // As etcd's TestElectionObserveCompacted and TestElectionSessionRecampaign.
  it("shows one that comes late the leader of now, with the value of its last campaign", async () => {
    const [first, again] = ["abc", "def"].map((value) => one.elect(NAME, { value }));
    const term = await elected(first as Election);
    await term.resign();
    await first?.return();
    const { fencingToken } = await elected(again as Election);
    const observer = observing.observe(NAME);
    let holder = await next(observer);
    while (holder?.value === undefined) holder = await next(observer);
    expect(holder).to.include({ value: "def", fence: fencingToken });
    await observer.return?.();
    await again?.return();
  });

  // As etcd's tests of Proclaim.
  it("shows what a leader proclaims, in order, without a change of its token", async () => {
    const election = one.elect(NAME, { value: "a" });
    const term = await elected(election);
    const observer = observing.observe(NAME);
    const told: ObservedHolder[] = [];
    for (const value of ["b", "c", "d", ""]) {
      await term.proclaim(value);
      const holder = await next(observer);
      if (holder) told.push(holder);
    }
    while (told.at(-1)?.value !== undefined) {
      const holder = await next(observer);
      if (holder) told.push(holder);
    }
    const values = told.map(({ value = "" }) => value);
    expect(["a", "b", "c", "d", ""].filter((value) => values.includes(value))).to.deep.equal(
      values,
    );
    expect(new Set(told.map(({ fence }) => fence))).to.deep.equal(new Set([term.fencingToken]));
    await observer.return?.();
    await election.return();
  });

  it("confirms each of two proclamations by a round of its own", async () => {
    const election = one.elect(NAME, { value: "a" });
    const term = await elected(election);
    await Promise.all([term.proclaim("b"), term.proclaim("c")]);
    const observer = observing.observe(NAME);
    expect(await next(observer)).to.include({ value: "c" });
    await observer.return?.();
    await election.return();
  });

  it("keeps what is proclaimed through renewals, and on a node that comes back", async () => {
    const election = (await open("renewing", 1_000)).elect(NAME, { value: "a" });
    const term = await elected(election);
    nodes[0]?.freeze();
    await term.proclaim("b");
    nodes[0]?.thaw();
    // Several renewals, and more than the key lives.
    await sleep(1_500);
    nodes[1]?.freeze();
    const observer = observing.observe(NAME);
    expect(await next(observer)).to.include({ value: "b" });
    nodes[1]?.thaw();
    await observer.return?.();
    await election.return();
  }).timeout(10_000);

  it("refuses a proclamation after the term, and without a quorum", async () => {
    const election = one.elect(NAME);
    const term = await elected(election);
    nodes[0]?.freeze();
    nodes[1]?.freeze();
    await rejectionWith(NoQuorumError, term.proclaim("x"));
    for (const node of nodes) node.thaw();
    // Until they have answered what they were asked meanwhile, nothing is sent to them.
    await eventually("they are trusted", () =>
      one.nodes.every(({ state }) => state !== "suspected"),
    );
    await term.proclaim("y");
    await term.resign();
    await rejectionWith(LockLostError, term.proclaim("z"));
    await election.return();
  });

  for (const [title, value, type] of [
    ["that is too long", "é".repeat(513), RangeError],
    ["that is no text", 7, TypeError],
    ["that is not well-formed", "\ud800", RangeError],
  ] as const) {
    it(`refuses a value ${title}`, async () => {
      const election = one.elect(NAME);
      const term = await elected(election);
      expect(await rejectionOf(term.proclaim(value as string))).to.be.instanceOf(type);
      expect(term.isHeld).to.equal(true);
      expect(() => one.elect(NAME, { value: value as string })).to.throw(type, /`value`/);
      await election.return();
    });
  }

  it("refuses a value of what is not held by one", async () => {
    const mode = "shared";
    await rejectionWith(RangeError, one.acquire(NAME, { value: "x", mode }));
    await rejectionWith(RangeError, one.acquire([NAME, "b"], { value: "x" }));
    await rejectionWith(RangeError, one.acquire(NAME, { value: "x", owner: "job" }));
  });

  // As client-go's tests of OnNewLeader.
  it("tells of each leader once, however often it renews, and all who observe", async () => {
    const many = Array.from({ length: 20 }, () => observing.observe(NAME));
    const election = (await open("renewing", 1_000)).elect(NAME);
    await elected(election);
    const told = await Promise.all(
      many.map(async (observer) => {
        let holder = await next(observer);
        while (holder === null) holder = await next(observer);
        return holder?.label;
      }),
    );
    expect(told).to.deep.equal(many.map(() => "renewing"));
    const [first] = many;
    // Its value, which is none, has come by then.
    await sleep(100);
    let isTold = false;
    const again = first?.next().then(() => {
      isTold = true;
    });
    await sleep(500);
    expect(isTold).to.equal(false);
    for (const observer of many) await observer.return?.();
    await again;
    await election.return();
  });

  // A holder whose clock was ahead had only two nodes, and the next has another two.
  it("shows no holder with a token below the one before, which it has until its own is sealed", async () => {
    const observer = observing.observe(NAME);
    expect(await next(observer)).to.equal(null);
    await sleep(20);
    const { fenceBucket } = exclusiveLock(nameKeys("lock:", NAME));
    const before = String(Date.now() * 1_000 + 2_000_000);
    for (const node of nodes.slice(0, 2))
      await node.command("HSET", RECORD_KEY, fenceBucket, before, "top", before);
    // Who asks now knows of it.
    await observer.return?.();
    const again = observing.observe(NAME);
    expect(await next(again)).to.equal(null);
    await sleep(20);
    nodes[0]?.freeze();
    const lock = await one.acquire(NAME);
    expect((await next(again))?.fence).to.equal(lock.fencingToken);
    expect(lock.fencingToken).to.be.above(Number(before));
    nodes[0]?.thaw();
    await lock.release();
    await again.return?.();
  });

  it("ends with its signal without an error, whatever it waits for", async () => {
    const controller = new AbortController();
    const observer = observing.observe(NAME, { signal: controller.signal });
    expect(await next(observer)).to.equal(null);
    const waiting = observer.next();
    controller.abort(new Error("enough"));
    expect(await waiting).to.deep.equal({ done: true, value: undefined });
    expect(await observer.next()).to.deep.equal({ done: true, value: undefined });
    const late = observing.observe(NAME, { signal: controller.signal });
    expect(await late.next()).to.deep.equal({ done: true, value: undefined });
  });

  it("ends with a break, and when its manager closes", async () => {
    for await (const holder of observing.observe(NAME)) {
      expect(holder).to.equal(null);
      break;
    }
    const observer = observing.observe(NAME);
    expect(await next(observer)).to.equal(null);
    const waiting = observer.next();
    await observing.close();
    expect(await waiting).to.deep.equal({ done: true, value: undefined });
    expect(() => observing.observe(NAME)).to.throw(/closed/);
  });

  it("refuses bad arguments at once", () => {
    expect(() => observing.observe("")).to.throw(RangeError, /`name`/);
    expect(() => observing.observe(NAME, { sginal: 1 } as never)).to.throw(TypeError, /sginal/);
    expect(() => observing.observe(NAME, { signal: 1 } as never)).to.throw(TypeError, /`signal`/);
  });

  it("waits while no quorum answers, and goes on after that", async () => {
    const lock = await one.acquire(NAME);
    nodes[0]?.freeze();
    nodes[1]?.freeze();
    const observer = observing.observe(NAME);
    let isTold = false;
    const told = next(observer).then((holder) => {
      isTold = true;
      return holder;
    });
    await sleep(300);
    expect(isTold).to.equal(false);
    nodes[0]?.thaw();
    expect(await told).to.include({ label: "one" });
    nodes[1]?.thaw();
    await lock.release();
    await observer.return?.();
  }).timeout(10_000);

  it("finds by asking what no message has told: a holder that is gone", async () => {
    const brief = new LockManager(nodes, { ttlMs: 300, clockStepMs: 0 });
    all.push(brief);
    const lock = await brief.acquire(NAME);
    const observer = observing.observe(NAME);
    expect(await next(observer)).to.not.equal(null);
    // Nobody releases it.
    lock.handOver();
    expect(await next(observer)).to.equal(null);
    await observer.return?.();
  }).timeout(10_000);

  for (const layout of LOCK_LAYOUTS.filter((each) => each !== "redlock")) {
    it(`refuses what nodes can show nobody, and lets the term go on: ${layout}`, async () => {
      const leading = new LockManager(nodes, { ttlMs: 10_000, layout });
      all.push(leading);
      const election = leading.elect(NAME);
      const term = await elected(election);
      const refused = await rejectionOf(term.proclaim("10.0.0.1:80"));
      expect(refused)
        .to.be.instanceOf(RangeError)
        .with.property("message")
        .that.matches(/`value`/);
      expect(() => election.observe()).to.throw(RangeError, `got "${layout}"`);
      expect(term.isHeld).to.equal(true);
      expect(await term.resign()).to.equal("released");
    });
  }
});
