import { expect } from "chai";
import { Acquire, type AcquireOutcome } from "../../src/coordinator/acquire.js";
import type { LeaseSettings } from "../../src/coordinator/lease-settings.js";
import type { Vote } from "../../src/protocol/operation.js";
import { CoordinatorBench, heardInbox, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, free, granted, held } from "../support/votes.js";

const GIVER = "g".padEnd(22, "_");
const taken = (fence = 8): Vote => ({ kind: "granted", fence, isHandedOver: true });
/** The key was not there. */
const found = (fence = 8): Vote => ({ kind: "granted", fence, isHandedOver: false });

function pendingAdoption(over: Partial<LeaseSettings> = {}, minHoldMs = 0) {
  const bench = new CoordinatorBench();
  const outcomes: AcquireOutcome[] = [];
  const wait = { waitMs: 0, minDelayMs: 10, maxDelayMs: 250, fair: false };
  const standing = { as: "adopt", giverId: GIVER, minHoldMs } as const;
  const wanted = { keys: KEYS, settings: leaseSettings(over), wait, standing };
  const adoption = new Acquire(bench.context, wanted, (outcome) => outcomes.push(outcome));
  adoption.begin();
  return { bench, outcomes, adoption };
}

describe("an adoption", () => {
  it("names the giver, under an owner of its own, and enters no queue", () => {
    const { bench } = pendingAdoption();
    const { operation } = bench.nodes[0]?.last("acquire") ?? {};
    // The token is not: who says what it is need not be believed.
    expect(operation?.previousId).to.equal(GIVER);
    expect(operation?.ownerId).to.not.equal(GIVER);
    expect(operation?.waiter).to.equal(undefined);
  });

  for (const { title, votes, outcome } of [
    { title: "a quorum had the giver's key", votes: [taken(), taken()], outcome: "granted" },
    { title: "all had", votes: [taken(), taken(), taken()], outcome: "granted" },
    {
      title: "two had, and one had nothing",
      votes: [found(), taken(), taken()],
      outcome: "granted",
    },
    { title: "one had, and two nothing", votes: [taken(), found(), found()], outcome: "refused" },
    { title: "nobody had it", votes: [found(), found()], outcome: "refused" },
    { title: "another has it", votes: [held(), held()], outcome: "refused" },
    { title: "one had, another has one", votes: [taken(), held(), found()], outcome: "refused" },
    {
      title: "one had, the others are gone",
      votes: [taken(), fault(), fault()],
      outcome: "unreachable",
    },
    {
      title: "nothing is there, nor anybody",
      votes: [fault(), found(), fault()],
      outcome: "unreachable",
    },
  ] as { title: string; votes: Vote[]; outcome: AcquireOutcome["kind"] }[]) {
    it(`is ${outcome} where ${title}`, () => {
      const { bench, outcomes } = pendingAdoption();
      bench.answer("acquire", votes);
      expect(outcomes.map(({ kind }) => kind)).to.deep.equal([outcome]);
      const isGranted = outcome === "granted";
      expect(bench.counts("release")).to.deep.equal(isGranted ? [0, 0, 0] : [1, 1, 1]);
      expect(bench.counts("leave")).to.deep.equal([0, 0, 0]);
      expect(bench.grantedCount).to.equal(isGranted ? 1 : 0);
    });
  }

  it("takes back what it took, also where nothing was, and only what is its own", () => {
    const { bench } = pendingAdoption();
    bench.answer("acquire", [taken(), found(), found()]);
    for (const node of bench.nodes) {
      const { operation, mayHold } = node.last("release");
      expect(operation.ownerId).to.equal(node.last("acquire").operation.ownerId);
      expect(operation.waiter).to.equal(undefined);
      expect(mayHold).to.equal(true);
    }
  });

  it("believes from its own first send on", () => {
    const { bench, outcomes } = pendingAdoption();
    bench.clock.advance(40);
    bench.answer("acquire", [taken(), taken()]);
    const [outcome] = outcomes;
    if (outcome?.kind !== "granted") throw new Error("not granted");
    expect(outcome.lease.remainingMs).to.equal(948);
    expect(outcome.lease.fencingToken).to.equal(8);
  });

  it("is exhausted where the answers come when its time is over", () => {
    const { bench, outcomes } = pendingAdoption({ nodeTimeoutMs: 990 });
    bench.clock.stall(988);
    bench.answer("acquire", [taken(), taken()]);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["exhausted"]);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("asks once, also where this process was too late to ask: what it took, it gave back", () => {
    const { bench, outcomes } = pendingAdoption();
    bench.answer("acquire", [taken(), fault("late", false), fault("late", false)]);
    bench.clock.advance(1_000);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["unreachable"]);
  });

  it("may be called off, once", () => {
    const { bench, outcomes, adoption } = pendingAdoption();
    adoption.abort();
    adoption.abort();
    bench.answer("acquire", [taken(), taken(), taken()]);
    expect(outcomes).to.deep.equal([{ kind: "aborted" }]);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });
});

describe("an adoption that fails", () => {
  it("E1: says nothing to those that wait for the name: they ask for it whatever the giver had", () => {
    const { bench, adoption } = pendingAdoption();
    const waiting = { waitMs: 50, fair: true };
    bench.acquire({}, waiting);
    const behind = bench.acquire({}, waiting);
    bench.clock.advance(1);
    adoption.abort();
    const again = { as: "adopt", giverId: GIVER } as const;
    const wait = { waitMs: 0, minDelayMs: 10, maxDelayMs: 250, fair: false };
    const wanted = { keys: KEYS, settings: leaseSettings(), wait, standing: again };
    const outcomes: AcquireOutcome[] = [];
    new Acquire(bench.context, wanted, (outcome) => outcomes.push(outcome)).begin();
    // Who has no key of the giver has refused it, and would grant it to anybody else.
    bench.answer("acquire", [fault(), found(), fault()]);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["unreachable"]);
    bench.clock.advance(60);
    expect(behind.outcomes[0]).to.include({ kind: "refused", attemptCount: 0 });
  });
});

describe("an adoption of a lock with a minimum hold that fails", () => {
  /** 300 ms with their drift. */
  const KEPT_MS = 305;

  for (const { title, minHoldMs = 300, votes, kept } of [
    {
      title: "where it has replaced the giver's key",
      votes: [taken(), found(), found()],
      kept: [KEPT_MS, undefined, undefined],
    },
    {
      title: "where it may have",
      votes: [taken(), fault(), fault()],
      kept: [KEPT_MS, KEPT_MS, KEPT_MS],
    },
    {
      title: "not where it has found nothing, or another's, but where it cannot tell",
      votes: [found(), held(), undefined],
      kept: [undefined, undefined, KEPT_MS],
    },
    {
      title: "not without one, whatever its own is",
      minHoldMs: 0,
      votes: [taken(), fault(), fault()],
      kept: [undefined, undefined, undefined],
    },
  ] as readonly {
    readonly title: string;
    readonly minHoldMs?: number;
    readonly votes: readonly (Vote | undefined)[];
    readonly kept: readonly (number | undefined)[];
  }[]) {
    it(`D2: keeps the name closed ${title}`, () => {
      const { bench, outcomes } = pendingAdoption({ minHoldMs: 500 }, minHoldMs);
      bench.answer("acquire", votes);
      expect(outcomes.map(({ kind }) => kind)).to.not.include("granted");
      expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
      const releases = bench.nodes.map((node) => node.last("release").operation);
      expect(releases.map(({ keepMs }) => keepMs)).to.deep.equal(kept);
    });
  }

  it("D2: keeps the name closed where too little validity is left, and where it is called off", () => {
    const late = pendingAdoption({ nodeTimeoutMs: 990, minHoldMs: 300 }, 300);
    late.bench.clock.stall(700);
    late.bench.answer("acquire", [taken(), taken(), taken()]);
    expect(late.outcomes.map(({ kind }) => kind)).to.deep.equal(["exhausted"]);
    const calledOff = pendingAdoption({ minHoldMs: 300 }, 300);
    calledOff.adoption.abort();
    for (const { bench } of [late, calledOff]) {
      for (const node of bench.nodes) {
        expect(node.last("release").operation.keepMs).to.equal(KEPT_MS);
      }
    }
  });
});

describe("an adoption of a name that is stolen", () => {
  it("ends as if it had been granted and preempted, and takes back what it took", () => {
    const { bench, outcomes, adoption } = pendingAdoption();
    adoption.yieldTo("lock:another");
    expect([outcomes, adoption.isPreempted]).to.deep.equal([[], false]);
    adoption.yieldTo(KEYS.lockKey);
    bench.answer("acquire", [taken(), taken(), taken()]);
    expect([outcomes, adoption.isPreempted]).to.deep.equal([[{ kind: "aborted" }], true]);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("is not waited for by the request that steals it: it asks only once", () => {
    const { adoption } = pendingAdoption();
    expect(adoption.whenDecided(KEYS.lockKey, () => {})).to.equal(false);
  });
});

describe("a lock that is given away", () => {
  it("is not renewed, extended, healed or released any more", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({}, [granted(7), granted(7)]);
    const extending = lease.extend();
    lease.give();
    bench.answer("extend", [granted(), granted(), free()]);
    expect((await extending).kind).to.equal("lost");
    bench.clock.advance(5_000);
    expect(await lease.release()).to.equal("handedOver");
    await lease.close();
    expect(bench.counts("heal")).to.deep.equal([0, 0, 0]);
    expect(bench.counts("release"), "also in flight to the last").to.deep.equal([0, 0, 0]);
    expect(bench.counts("extend")).to.deep.equal([1, 1, 1]);
    expect(bench.lost).to.deep.equal([]);
    expect(bench.releasedCount).to.equal(1);
    expect(lease).to.include({ isGiven: true, remainingMs: 0 });
  });

  for (const { fence, count } of [
    { fence: 6, count: 0 },
    { fence: 7, count: 0 },
    { fence: 8, count: 1 },
  ]) {
    it(`is ${count === 1 ? "" : "not "}released on a node that stores it late with fence ${fence} of 7: who adopted it may have released it there`, () => {
      const bench = new CoordinatorBench();
      const { outcomes } = bench.acquire({ renew: false }, { waitMs: 0 });
      const asks = bench.nodes.map((node) => node.last("acquire"));
      for (const index of [0, 1]) asks[index]?.reply(granted(7));
      const [outcome] = outcomes;
      if (outcome?.kind !== "granted") throw new Error("not granted");
      outcome.lease.give();
      asks[2]?.reply(granted(fence));
      expect(bench.counts("release")).to.deep.equal([0, 0, count]);
    });
  }

  it("is released where its acquire was left in the queue, and keeps no name closed there", () => {
    const bench = new CoordinatorBench(3, new ManualClock(), heardInbox());
    const settings = { renew: false, minHoldMs: 500 };
    const { outcomes } = bench.acquire(settings, { waitMs: 1_000, fair: true });
    bench.answer("acquire", [granted(7), granted(7), held()]);
    const [outcome] = outcomes;
    if (outcome?.kind !== "granted") throw new Error("not granted");
    outcome.lease.give();
    expect(bench.counts("release")).to.deep.equal([0, 0, 1]);
    const { keepMs, waiter } = bench.nodes[2]?.last("release").operation ?? {};
    expect(keepMs).to.equal(undefined);
    expect(waiter).to.include({ ticket: 0 });
  });

  it("is released nowhere while fewer nodes than a quorum are known to have it", async () => {
    const bench = new CoordinatorBench(3, new ManualClock(), heardInbox());
    const { outcomes } = bench.acquire({ renew: false }, { waitMs: 1_000, fair: true });
    bench.answer("acquire", [granted(7), granted(7), held()]);
    const [outcome] = outcomes;
    if (outcome?.kind !== "granted") throw new Error("not granted");
    const extending = outcome.lease.extend();
    // The last has executed the acquire that was left there, and the second has lost its key.
    bench.answer("extend", [granted(7), free(), granted(7)]);
    expect((await extending).kind).to.equal("extended");
    outcome.lease.give();
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
  });

  it("lets the next in line ask at once: no release puts it into the queues of the nodes", () => {
    const bench = new CoordinatorBench(3, new ManualClock(), heardInbox());
    const { outcomes } = bench.acquire({ renew: false }, { waitMs: 1_000, fair: true });
    bench.acquire({ renew: false }, { waitMs: 1_000, fair: true });
    bench.answer("acquire", [granted(7), granted(7), granted(7)]);
    bench.clock.advance(1);
    const before = bench.counts("acquire");
    const [outcome] = outcomes;
    if (outcome?.kind !== "granted") throw new Error("not granted");
    outcome.lease.give();
    bench.clock.advance(1);
    expect(bench.counts("acquire")).to.deep.equal(before.map((count) => count + 1));
  });

  it("is not given when its time is over", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({ renew: false });
    bench.clock.stall(988);
    lease.give();
    expect(lease).to.include({ isGiven: false, state: "lost" });
  });
});
