import { expect } from "chai";
import type { Grant } from "../../src/coordinator/grant.js";
import { LeaseHealing, type HealedLease } from "../../src/coordinator/lease-healing.js";
import { LeaseValidity } from "../../src/coordinator/lease-validity.js";
import type { Waiter } from "../../src/protocol/waiter.js";
import { CoordinatorBench, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { at } from "../support/nodes.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

const WAITER: Waiter = { inbox: "inbox", ticket: 5, turnMs: 20 };

/** A lease on three nodes, granted a moment after it was sent, and the healing of its keys. */
class Bench implements HealedLease {
  readonly coordinator = new CoordinatorBench();
  readonly validity: LeaseValidity;
  readonly healing: LeaseHealing;
  state: HealedLease["state"] = "held";
  takenCount = 0;

  constructor(complete = 0b111, mayHold = complete) {
    const firstSendMs = this.coordinator.clock.now();
    this.coordinator.clock.advance(10);
    const grant: Grant = {
      ...{ keys: KEYS, settings: leaseSettings(), ownerId: "me", fencingToken: 7, firstSendMs },
      ...{ grantedAtMs: this.coordinator.clock.now(), validUntilMs: firstSendMs + 988 },
      ...{ mayHold, complete },
      run: { startedMs: firstSendMs, isWaitedFor: false, passOnCount: 0, lastTicket: 0 },
    };
    this.validity = new LeaseValidity(grant);
    this.healing = new LeaseHealing(this.coordinator.context, grant, this.validity, this);
  }

  isHeld(): boolean {
    return this.state === "held";
  }

  onTaken(): void {
    this.takenCount++;
  }

  /** How often each node was healed. */
  get counts(): number[] {
    return this.coordinator.counts("heal");
  }
}

describe("LeaseHealing", () => {
  for (const { title, vote, complete, isHealed } of [
    { title: "whose key is gone", vote: free(), complete: 0b111, isHealed: true },
    { title: "that never had the key", vote: free(), complete: 0b101, isHealed: true },
    { title: "that may lack the token", vote: granted(), complete: 0b101, isHealed: true },
    { title: "that has it all", vote: granted(), complete: 0b111, isHealed: false },
    { title: "that another client has locked", vote: held(), complete: 0b111, isHealed: false },
    { title: "that holds other data", vote: foreign(), complete: 0b111, isHealed: false },
    { title: "that is silent", vote: fault("timeout"), complete: 0b101, isHealed: false },
  ]) {
    it(`${isHealed ? "restores the key of" : "leaves alone"} a node ${title}`, () => {
      const bench = new Bench(complete);
      bench.healing.onExtendVote(1, vote);
      expect(bench.counts).to.deep.equal([0, isHealed ? 1 : 0, 0]);
    });
  }

  it("gives a restored key what is left of the others, with the token, and no more time than the lease", () => {
    const bench = new Bench();
    bench.coordinator.clock.advance(200);
    bench.healing.onExtendVote(1, free());
    const { operation } = at(bench.coordinator.nodes, 1).last("heal");
    expect(operation).to.include({ ownerId: "me", fence: 7, ttlMs: 790 });
    expect(operation.sendBeforeMs).to.equal(bench.coordinator.clock.now() + 50);
    bench.coordinator.clock.advance(770);
    bench.healing.onExtendVote(2, free());
    const late = at(bench.coordinator.nodes, 2).last("heal").operation;
    expect(late.ttlMs).to.equal(20);
    expect(late.sendBeforeMs).to.equal(bench.validity.untilMs);
  });

  it("restores nothing when the other keys have expired", () => {
    const bench = new Bench();
    bench.coordinator.clock.advance(990);
    bench.healing.onExtendVote(1, free());
    expect(bench.counts).to.deep.equal([0, 0, 0]);
  });

  for (const state of ["lost", "released"] as const) {
    it(`restores nothing of a lock that is ${state}: the key would have no owner`, () => {
      const bench = new Bench(0b001);
      bench.state = state;
      bench.healing.onExtendVote(1, free());
      bench.healing.backfill();
      bench.healing.takeTurn(2, WAITER);
      expect(bench.counts).to.deep.equal([0, 0, 0]);
      expect(bench.healing.mayHold).to.equal(0b001);
    });
  }

  it("owes a release to each node it has tried to heal, whatever becomes of that", () => {
    const bench = new Bench(0b001);
    bench.healing.onExtendVote(2, free());
    expect(bench.healing.mayHold).to.equal(0b101);
    bench.coordinator.nodes[2]?.answer("heal", fault("timeout"));
    expect(bench.healing.mayHold).to.equal(0b101);
  });

  it("fills in the nodes that lack the key after the deadline of the acquire, once", () => {
    const bench = new Bench(0b001);
    expect(bench.healing.backfillAtMs).to.equal(bench.coordinator.clock.now() + 50);
    bench.healing.onComplete(1);
    bench.healing.backfill();
    expect(bench.counts).to.deep.equal([0, 0, 1]);
    expect(bench.healing.backfillAtMs).to.equal(Number.POSITIVE_INFINITY);
  });

  it("has nothing to fill in if all nodes granted it", () => {
    expect(new Bench(0b111).healing.backfillAtMs).to.equal(Number.POSITIVE_INFINITY);
  });

  it("heals a node that notifies us although we hold the lock, once per node", () => {
    const bench = new Bench(0b001);
    for (const index of [0, 1, 1, 2, 1]) bench.healing.takeTurn(index, WAITER);
    expect(bench.counts).to.deep.equal([0, 1, 1]);
    expect(at(bench.coordinator.nodes, 1).last("heal").operation.waiter).to.equal(WAITER);
  });

  it("counts a node that was healed as complete", () => {
    const bench = new Bench(0b001);
    bench.healing.onExtendVote(1, free());
    bench.coordinator.nodes[1]?.answer("heal", granted());
    bench.healing.onExtendVote(1, granted());
    bench.healing.backfill();
    expect(bench.counts).to.deep.equal([0, 1, 1]);
  });

  it("reports the lock as lost if one node says that an operator has ended it, and for nothing else", () => {
    const bench = new Bench(0b001);
    for (const vote of [granted(), held(), free(), foreign(), fault()]) {
      bench.healing.onVote(1, vote);
    }
    expect(bench.takenCount).to.equal(0);
    bench.healing.onVote(1, { ...free(), reason: "ended" });
    expect(bench.takenCount).to.equal(1);
  });
});
