import { expect } from "chai";
import { MAX_RENEWALS } from "../../src/coordinator/admission.js";
import {
  LeaseRenewal,
  type ExtendedLease,
  type ExtendResult,
} from "../../src/coordinator/lease-renewal.js";
import type { LeaseSettings } from "../../src/coordinator/lease-settings.js";
import { newOperation, type OperationOf, type Vote } from "../../src/protocol/operation.js";
import { renewalAtMs, renewalRetryMs } from "../../src/protocol/lease-times.js";
import { CoordinatorBench, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { settle } from "../support/manual-clock.js";
import { fault, free, granted, held } from "../support/votes.js";

const WON = [granted(), granted(), granted()];
const FAILED = [fault("disconnected"), fault("disconnected"), granted()];
const TAKEN = [free(), held(), granted()];
const UNIT = 0.25;

/** A lease on three nodes that was sent and granted now, and its renewal, which wakes when the test says. */
class Bench implements ExtendedLease {
  /** How often it was made to listen. */
  listenedCount = 0;
  readonly coordinator = new CoordinatorBench(3, undefined, {
    id: "an-inbox",
    isHeard: true,
    listen: () => void this.listenedCount++,
  });
  readonly startMs = this.coordinator.clock.now();
  readonly settings: LeaseSettings;
  readonly renewal: LeaseRenewal;
  readonly firstRenewalAtMs: number;
  provenAtMs: number;
  readonly keys = KEYS;
  readonly ownerId = "900~x9_Kq2_and_more";
  readonly fencingToken = 7;
  state: ExtendedLease["state"] = "held";
  /** What the lease was told, in order. */
  readonly told: string[] = [];
  /** What an observer hears of extend rounds: since when they were due, ms after the start, and their outcomes. */
  readonly heard: (number | string | undefined)[] = [];
  /** Nodes whose votes were passed on with the round that proved the lock, or as its stragglers. */
  readonly proofs: number[] = [];
  endsWhenExtended = false;

  constructor(over: Partial<LeaseSettings> = {}) {
    this.settings = leaseSettings(over);
    const { startMs, settings } = this;
    const { context } = this.coordinator;
    this.provenAtMs = startMs;
    this.firstRenewalAtMs = settings.renew
      ? renewalAtMs(startMs, { ttlMs: settings.ttlMs, driftFactor: 0 })
      : Number.POSITIVE_INFINITY;
    const entropy = { ...context.entropy, unit: () => UNIT };
    const observer = {
      ...context.observer,
      onExtending: (_: unknown, dueMs: number | undefined) => {
        this.heard.push(dueMs === undefined ? undefined : dueMs - startMs);
        return (outcome: string) => this.heard.push(outcome);
      },
    };
    const own = { ...context, entropy, observer };
    this.renewal = new LeaseRenewal(own, this);
  }

  get validUntilMs(): number {
    return this.provenAtMs + 988;
  }

  extension(ttlMs: number, nowMs: number): OperationOf<"extend"> {
    const { keys, ownerId, fencingToken: fence } = this;
    return newOperation("extend", { keys, ownerId, ttlMs, fence, sendBeforeMs: nowMs + 50 });
  }

  isHeld(): boolean {
    return this.state === "held";
  }

  onTaken(): void {
    this.told.push("taken");
    this.state = "lost";
  }

  onExtended(firstSendMs: number, ttlMs: number, votes: readonly (Vote | undefined)[]): void {
    this.provenAtMs = firstSendMs;
    this.told.push(ttlMs === this.settings.ttlMs ? "extended" : `extended to ${ttlMs}`);
    this.proofs.push(...votes.keys());
    if (this.endsWhenExtended) this.state = "lost";
  }

  onExtendVote(index: number): void {
    this.proofs.push(index);
  }

  reschedule(): void {
    this.told.push("rescheduled");
  }

  /** Lets time pass, and does what is due then. */
  wakeAfter(ms: number): void {
    this.coordinator.clock.advance(ms);
    this.renewal.wake(this.coordinator.clock.now());
  }

  async answer(votes: readonly Vote[]): Promise<void> {
    this.coordinator.answer("extend", votes);
    await settle();
  }

  /** ms after the start. */
  get renewAtMs(): number {
    return this.renewal.wakeAtMs - this.startMs;
  }

  get roundCount(): number | undefined {
    return this.coordinator.counts("extend")[0];
  }
}

const DUE_MS = renewalAtMs(1_000, { ttlMs: 1_000, driftFactor: 0 }) - 1_000;

describe("The outcome of an extend round", () => {
  for (const { title, votes, change = () => {}, kind, told } of [
    { title: "a quorum extended it", votes: WON, kind: "extended", told: ["extended"] },
    { title: "a quorum has lost the key", votes: TAKEN, kind: "lost", told: ["taken"] },
    { title: "too few have answered", votes: FAILED, kind: "failed", told: [] },
    {
      title: "refusals alone decided nothing",
      votes: [free(), fault("timeout"), granted()],
      kind: "failed",
      told: [],
    },
    {
      title: "a quorum extended it after its release",
      votes: WON,
      change: (bench: Bench) => (bench.state = "released"),
      kind: "lost",
      told: [],
    },
    {
      title: "a quorum has lost the key after its loss",
      votes: TAKEN,
      change: (bench: Bench) => (bench.state = "lost"),
      kind: "lost",
      told: [],
    },
    {
      title: "a quorum extended it too late to be of use",
      votes: WON,
      change: (bench: Bench) => (bench.endsWhenExtended = true),
      kind: "lost",
      told: ["extended"],
    },
  ] as const) {
    it(`is ${kind}: ${title}`, async () => {
      const bench = new Bench();
      const results: ExtendResult[] = [];
      void bench.renewal.extend().then((result) => results.push(result));
      bench.coordinator.clock.advance(10);
      (change as (bench: Bench) => void)(bench);
      await bench.answer(votes);
      expect(results.map((result) => result.kind)).to.deep.equal([kind]);
      expect(bench.told).to.deep.equal(told);
      expect(bench.heard).to.deep.equal([
        undefined,
        bench.state === "released" ? "released" : kind,
      ]);
    });
  }

  it("is shared by calls meanwhile; a later call has a round of its own", async () => {
    const bench = new Bench();
    const first = bench.renewal.extend();
    expect(bench.renewal.extend(undefined, false, DUE_MS)).to.equal(first);
    expect(bench.roundCount).to.equal(1);
    await bench.answer(FAILED);
    void bench.renewal.extend();
    expect(bench.roundCount).to.equal(2);
  });

  it("is not shared by a call for longer, which others share from then on", async () => {
    const bench = new Bench();
    const first = bench.renewal.extend();
    const longer = bench.renewal.extend(5_000);
    expect(longer).to.not.equal(first);
    expect([bench.renewal.extend(), bench.renewal.extend(5_000)]).to.deep.equal([longer, longer]);
    expect(bench.roundCount).to.equal(2);
    const sent = bench.coordinator.nodes[0]?.all("extend").map(({ operation }) => operation.ttlMs);
    expect(sent).to.deep.equal([1_000, 5_000]);
    await bench.answer(WON);
    expect(await longer).to.deep.equal({ kind: "extended" });
    expect(bench.told).to.deep.equal(["extended to 5000"]);
    void bench.renewal.extend();
    expect(bench.roundCount, "while the first is still on its way").to.equal(3);
  });

  it("is known without a round once the lease is over", async () => {
    const bench = new Bench();
    bench.state = "released";
    expect(await bench.renewal.extend()).to.deep.equal({ kind: "lost" });
    expect([bench.roundCount, bench.heard]).to.deep.equal([0, []]);
  });

  it("proves the lock from before its first send", async () => {
    const bench = new Bench();
    bench.coordinator.clock.advance(100);
    void bench.renewal.extend();
    bench.coordinator.clock.advance(40);
    await bench.answer(WON);
    expect(bench.validUntilMs - bench.startMs).to.equal(100 + 988);
    expect(bench.renewal.wakeAtMs).to.equal(
      renewalAtMs(bench.startMs + 100, { ttlMs: 1_000, driftFactor: 0 }),
    );
    expect(bench.proofs, "all votes, and the straggler").to.deep.equal([0, 1, 2, 2]);
  });
});

describe("LeaseRenewal", () => {
  it("is never due where the lock is not renewed, whatever is asked for", async () => {
    const bench = new Bench({ renew: false });
    for (const votes of [FAILED, WON]) {
      void bench.renewal.extend();
      await bench.answer(votes);
      expect(bench.renewAtMs).to.equal(Number.POSITIVE_INFINITY);
    }
  });

  it("is tried again soon after a round that failed, due when that is, until one succeeds", async () => {
    const bench = new Bench();
    bench.wakeAfter(DUE_MS - 1);
    expect(bench.roundCount, "not before it is due").to.equal(0);
    bench.wakeAfter(1);
    let atMs = DUE_MS;
    const due = [DUE_MS];
    for (let count = 0; count < 3; count++) {
      await bench.answer(FAILED);
      expect(bench.told.splice(0)).to.deep.equal(["rescheduled"]);
      const pauseMs = renewalRetryMs(988 - atMs, 1_000, UNIT);
      expect(bench.renewAtMs).to.be.closeTo(atMs + pauseMs, 0.001);
      due.push(bench.renewAtMs);
      bench.wakeAfter(Math.ceil(pauseMs));
      atMs += Math.ceil(pauseMs);
    }
    await bench.answer(WON);
    expect(bench.told).to.deep.equal(["extended"]);
    const outcomes = ["failed", "failed", "failed", "extended"];
    expect(bench.heard).to.deep.equal(due.flatMap((dueMs, index) => [dueMs, outcomes[index]]));
    const next = bench.renewAtMs;
    bench.wakeAfter(next - atMs);
    expect(bench.heard.at(-1), "due anew").to.equal(next);
  });

  it("that waited for room is due since it came, until it begins or the lock is extended", async () => {
    for (const isExtended of [false, true]) {
      const bench = new Bench();
      const { renewals } = bench.coordinator.context;
      const others = Array.from({ length: 2 * MAX_RENEWALS }, () => ({ begin: () => {} }));
      for (const other of others) renewals.enter(other, true);
      bench.wakeAfter(DUE_MS);
      // It is urgent now, and still there is no room.
      bench.wakeAfter(bench.renewAtMs - DUE_MS);
      expect(bench.roundCount).to.equal(0);
      let dueMs = DUE_MS;
      if (isExtended) {
        void bench.renewal.extend();
        await bench.answer(WON);
        dueMs = bench.renewAtMs;
        bench.wakeAfter(dueMs - (bench.coordinator.clock.now() - bench.startMs));
      }
      bench.coordinator.clock.advance(100);
      const lateMs = bench.coordinator.clock.now() - bench.startMs - dueMs;
      expect(bench.renewal.causeOfExpiry()).to.deep.include({ kind: "queued" });
      expect(bench.renewal.causeOfExpiry()).to.have.property("lateMs").closeTo(lateMs, 0.001);
      for (const _ of others) renewals.onEnd();
      bench.coordinator.clock.advance(1);
      expect(bench.heard.at(-1)).to.be.closeTo(dueMs, 0.001);
      await bench.answer(FAILED);
      expect(bench.renewal.causeOfExpiry().kind, "it has begun").to.equal("unconfirmed");
    }
  });

  it("is not tried again where the lease has ended meanwhile", async () => {
    for (const state of ["released", "lost"] as const) {
      const bench = new Bench();
      bench.wakeAfter(DUE_MS);
      // In the same turn of the event loop as the last vote, after it.
      const answered = bench.answer(FAILED);
      bench.state = state;
      await answered;
      expect(bench.heard).to.deep.equal([DUE_MS, "failed"]);
      expect(bench.renewAtMs).to.equal(Number.POSITIVE_INFINITY);
    }
  });

  it("shares a round that was asked for, and tries again where that fails", async () => {
    const bench = new Bench();
    bench.coordinator.clock.advance(DUE_MS - 5);
    void bench.renewal.extend();
    bench.wakeAfter(5);
    expect(bench.roundCount).to.equal(1);
    await bench.answer(FAILED);
    expect(bench.renewAtMs).to.be.within(DUE_MS + 5, 988);
    expect(bench.told).to.deep.equal(["rescheduled"]);
  });

  it("is not brought forward by a requested round that fails", async () => {
    const bench = new Bench();
    bench.coordinator.clock.advance(100);
    void bench.renewal.extend();
    await bench.answer(FAILED);
    expect(bench.renewAtMs).to.equal(DUE_MS);
    expect(bench.told).to.deep.equal([]);
  });
});

describe("What a node says about the loss of a lock", () => {
  const LOSS = "x9_Kq2";
  const tell = (bench: Bench, beginning = LOSS): void =>
    bench.coordinator.context.lossNews.onLoss(beginning);
  /** Renewed once. */
  const renewed = async (over: Partial<LeaseSettings> = {}): Promise<Bench> => {
    const bench = new Bench(over);
    void bench.renewal.extend();
    await bench.answer(WON);
    bench.told.length = 0;
    return bench;
  };

  it("is listened to once the lock was renewed", async () => {
    const bench = new Bench();
    tell(bench);
    expect([bench.listenedCount, bench.roundCount]).to.deep.equal([0, 0]);
    expect((await renewed()).listenedCount).to.be.greaterThan(0);
  });

  it("is not listened to for a lock that is not renewed", async () => {
    const bench = await renewed({ renew: false });
    tell(bench);
    expect([bench.listenedCount, bench.roundCount]).to.deep.equal([0, 1]);
  });

  for (const { votes, told } of [
    { votes: TAKEN, told: ["taken"] },
    { votes: WON, told: ["extended"] },
    { votes: FAILED, told: [] },
  ]) {
    it(`makes it ask the nodes at once, which decide: ${told[0] ?? "nothing"}`, async () => {
      const bench = await renewed();
      tell(bench);
      expect([bench.roundCount, bench.told]).to.deep.equal([2, []]);
      await bench.answer(votes);
      expect(bench.told).to.deep.equal(told);
      expect(bench.roundCount).to.equal(2);
    });
  }

  it("of a lock of another owner makes nobody ask", async () => {
    const bench = await renewed();
    tell(bench, "x9_Kq3");
    expect(bench.roundCount).to.equal(1);
  });

  it("makes it ask again after the round that was under way, once", async () => {
    const bench = await renewed();
    for (let count = 0; count < 5; count++) tell(bench);
    expect(bench.roundCount).to.equal(2);
    await bench.answer(WON);
    expect(bench.roundCount).to.equal(3);
    await bench.answer(WON);
    expect(bench.roundCount).to.equal(3);
  });

  it("and not if it was lost in that round, or released", async () => {
    const bench = await renewed();
    for (let count = 0; count < 2; count++) tell(bench);
    await bench.answer(TAKEN);
    expect(bench.roundCount).to.equal(2);
    const other = await renewed();
    for (let count = 0; count < 2; count++) tell(other);
    other.state = "released";
    await other.answer(WON);
    expect(other.roundCount).to.equal(2);
  });

  it("counts for nothing once the lease has ended", async () => {
    const bench = await renewed();
    bench.renewal.stop();
    tell(bench);
    expect(bench.roundCount).to.equal(1);
  });

  it("makes a process ask twenty times a second at most", async () => {
    const bench = await renewed();
    for (let count = 0; count < 100; count++) {
      tell(bench);
      await bench.answer(WON);
    }
    expect(bench.roundCount).to.equal(21);
    bench.coordinator.clock.advance(100);
    for (let count = 0; count < 100; count++) {
      tell(bench);
      await bench.answer(WON);
    }
    expect(bench.roundCount).to.equal(23);
  });
});
