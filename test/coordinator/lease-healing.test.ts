import { expect } from "chai";
import type { LeaseSettings } from "../../src/coordinator/lease-settings.js";
import { Lease, type Grant } from "../../src/coordinator/lease.js";
import type { Waiter } from "../../src/protocol/node-queue.js";
import { CoordinatorBench, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { at } from "../support/nodes.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

const WAITER: Waiter = { inbox: "inbox", ticket: 5, turnMs: 20 };

/** A lease on three nodes, granted a moment after it was sent. */
class Bench {
  readonly coordinator = new CoordinatorBench();
  readonly lease: Lease;

  constructor(complete = 0b111, mayHold = complete, over: Partial<LeaseSettings> = {}) {
    const firstSendMs = this.coordinator.clock.now();
    this.coordinator.clock.advance(10);
    const grant: Grant = {
      ...{
        keys: KEYS,
        settings: leaseSettings({ renew: false, ...over }),
        ownerId: "me",
        fence: 7,
      },
      ...{ firstSendMs, grantedAtMs: this.coordinator.clock.now() },
      ...{ validUntilMs: firstSendMs + 988, mayHold, complete },
      run: { startedMs: firstSendMs, isWaitedFor: false, passOnCount: 0, lastTicket: 0 },
    };
    this.lease = new Lease(this.coordinator.context, grant);
  }

  /** How often each node was healed. */
  get counts(): number[] {
    return this.coordinator.counts("heal");
  }

  /** Whether each node may hold a key of it, as its release says. */
  get mayHold(): boolean[] {
    void this.lease.release();
    return this.coordinator.nodes.map((node) => node.last("release").mayHold);
  }
}

describe("The keys of a lease", () => {
  for (const { title, vote, complete, isHealed } of [
    { title: "whose key is gone", vote: free(), complete: 0b111, isHealed: true },
    { title: "that never had the key", vote: free(), complete: 0b101, isHealed: true },
    { title: "that may lack the token", vote: granted(), complete: 0b101, isHealed: true },
    { title: "that has it all", vote: granted(), complete: 0b111, isHealed: false },
    { title: "that another client has locked", vote: held(), complete: 0b111, isHealed: false },
    { title: "that holds other data", vote: foreign(), complete: 0b111, isHealed: false },
    { title: "that is silent", vote: fault("timeout"), complete: 0b111, isHealed: false },
    { title: "that was silent before", vote: fault("timeout"), complete: 0b101, isHealed: false },
  ]) {
    it(`${isHealed ? "restores the key of" : "leaves alone"} a node ${title}`, () => {
      const bench = new Bench(complete);
      bench.lease.onExtendVote(1, vote);
      expect(bench.counts).to.deep.equal([0, isHealed ? 1 : 0, 0]);
    });
  }

  it("gives a restored key what is left of the others, with the token, and no more time than the lease", () => {
    const bench = new Bench();
    bench.coordinator.clock.advance(200);
    bench.lease.onExtendVote(1, free());
    const { operation } = at(bench.coordinator.nodes, 1).last("heal");
    expect(operation).to.include({ ownerId: "me", fence: 7, ttlMs: 790 });
    expect(operation.sendBeforeMs).to.equal(bench.coordinator.clock.now() + 50);
    bench.coordinator.clock.advance(770);
    bench.lease.onExtendVote(2, free());
    const late = at(bench.coordinator.nodes, 2).last("heal").operation;
    expect(late.ttlMs).to.equal(20);
    expect(late.sendBeforeMs).to.equal(bench.lease.validUntilMs);
  });

  it("gives a restored key what is left of the longest extension, and tells others how long that is", async () => {
    const bench = new Bench(0b111, 0b111, { clockStepMs: 3_000 });
    const { coordinator, lease } = bench;
    const extend = async (ttlMs?: number): Promise<void> => {
      const extending = lease.extend(ttlMs);
      coordinator.answer("extend", [granted(), granted()]);
      await extending;
      coordinator.clock.advance(500);
    };
    await extend(5_000);
    // A renewal is for less.
    await extend();
    lease.onExtendVote(1, free());
    const healed = at(coordinator.nodes, 1).last("heal").operation;
    expect(healed).to.include({ ttlMs: 4_000 + 3_000, keptMs: 4_000, marginMs: 3_000 });
    for (let count = 0; count < 8; count++) await extend();
    lease.onExtendVote(1, free());
    const later = at(coordinator.nodes, 1).last("heal").operation;
    expect(later, "its ownerId says that").to.include({
      ttlMs: 1_000 + 3_000 - 500,
      keptMs: undefined,
    });
  });

  for (const isWon of [true, false]) {
    it(`are released as those that a longer extension made, ${isWon ? "which was won" : "although too few nodes answered it"}`, async () => {
      const bench = new Bench(0b111, 0b111, { clockStepMs: 3_000 });
      const extending = bench.lease.extend(5_000);
      bench.coordinator.answer("extend", isWon ? [granted(), granted()] : [granted()]);
      bench.coordinator.clock.advance(50);
      await extending;
      void bench.lease.release();
      const { operation } = at(bench.coordinator.nodes, 0).last("release");
      expect(operation).to.include({ keptMs: 5_000 });
      expect(operation.ttlMs).to.be.at.least(8_000);
    });
  }

  it("restores nothing once the validity has ended, although no timer has said so", () => {
    const bench = new Bench();
    bench.coordinator.clock.suspend(990);
    bench.lease.onExtendVote(1, free());
    expect(bench.counts).to.deep.equal([0, 0, 0]);
    expect(bench.coordinator.lost).to.deep.equal(["expired"]);
  });

  for (const { title, end } of [
    { title: "lost", end: (bench: Bench) => bench.lease.preempt()() },
    { title: "released", end: (bench: Bench) => void bench.lease.release() },
    { title: "handed over", end: (bench: Bench) => bench.lease.give() },
  ]) {
    it(`restores nothing of a lock that is ${title}: the key would have no owner`, () => {
      const bench = new Bench(0b001);
      end(bench);
      bench.lease.onExtendVote(1, free());
      bench.lease.takeTurn(2, WAITER);
      bench.coordinator.clock.advance(500);
      expect(bench.counts).to.deep.equal([0, 0, 0]);
    });
  }

  it("owes a release to each node that may hold a key", () => {
    const bench = new Bench(0b001, 0b011);
    expect(bench.mayHold).to.deep.equal([true, true, false]);
    const other = new Bench(0b001);
    other.lease.onVote(2, granted());
    expect(other.mayHold).to.deep.equal([true, false, true]);
  });

  it("owes a release to each node it has tried to heal, whatever becomes of that", () => {
    const bench = new Bench(0b001);
    bench.lease.onExtendVote(2, free());
    bench.coordinator.nodes[2]?.answer("heal", fault("timeout"));
    expect(bench.mayHold).to.deep.equal([true, false, true]);
  });

  it("fills in the nodes that lack the key after the deadline of the acquire, once", () => {
    const bench = new Bench(0b001);
    bench.coordinator.clock.advance(49);
    bench.lease.onVote(1, granted());
    expect(bench.counts).to.deep.equal([0, 0, 0]);
    bench.coordinator.clock.advance(1);
    expect(bench.counts).to.deep.equal([0, 0, 1]);
    bench.coordinator.clock.advance(500);
    expect(bench.counts).to.deep.equal([0, 0, 1]);
  });

  it("leaves to an extension what the acquire left undone", () => {
    const bench = new Bench(0b001);
    void bench.lease.extend();
    bench.coordinator.answer("extend", [granted(), granted(), undefined]);
    expect(bench.counts).to.deep.equal([0, 1, 0]);
    bench.coordinator.clock.advance(500);
    expect(bench.counts).to.deep.equal([0, 1, 0]);
  });

  it("has nothing to fill in if all nodes granted it", () => {
    const bench = new Bench(0b111);
    bench.coordinator.clock.advance(500);
    expect(bench.counts).to.deep.equal([0, 0, 0]);
  });

  it("heals a node that notifies us although we hold the lock, once per node", () => {
    const bench = new Bench(0b001);
    for (const index of [0, 1, 1, 2, 1]) bench.lease.takeTurn(index, WAITER);
    expect(bench.counts).to.deep.equal([0, 1, 1]);
    expect(at(bench.coordinator.nodes, 1).last("heal").operation.waiter).to.equal(WAITER);
  });

  it("counts a node that was healed as complete, until it refuses; a fault says nothing", () => {
    const bench = new Bench(0b001);
    bench.lease.onExtendVote(1, free());
    bench.coordinator.nodes[1]?.answer("heal", granted());
    bench.lease.onExtendVote(1, fault());
    bench.lease.onExtendVote(1, granted());
    expect(bench.counts).to.deep.equal([0, 1, 0]);
    bench.lease.onExtendVote(1, held());
    bench.lease.onExtendVote(1, granted());
    expect(bench.counts).to.deep.equal([0, 2, 0]);
  });

  it("reports the lock as lost if one node says that an operator has ended it, and for nothing else", () => {
    const bench = new Bench(0b001);
    for (const vote of [granted(), held(), free(), foreign(), fault()]) {
      bench.lease.onVote(1, vote);
    }
    expect(bench.coordinator.lost).to.deep.equal([]);
    bench.lease.onVote(1, { ...free(), reason: "ended" });
    expect(bench.coordinator.lost).to.deep.equal(["taken"]);
  });
});
