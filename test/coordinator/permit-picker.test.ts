import { expect } from "chai";
import * as fc from "fast-check";
import { failureOf, type AttemptFailure } from "../../src/protocol/attempt-failure.js";
import { PermitPicker } from "../../src/coordinator/permit-picker.js";
import { WaitQueue } from "../../src/coordinator/wait-queue.js";
import { permitLock } from "../../src/kinds/permit.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import type { Vote } from "../../src/protocol/operation.js";
import { CoordinatorBench, KEYS } from "../support/coordinator-bench.js";
import { takenVote } from "../support/taken-vote.js";
import { unit } from "../support/uniform.js";
import { fault, granted, held } from "../support/votes.js";

/** One acquire of any permit, whose random numbers are the test's. */
class Bench {
  readonly keys: LockKind;
  readonly picker: PermitPicker;
  unit = 0;
  readonly #coordinator = new CoordinatorBench();
  readonly #all: readonly number[];

  constructor(permitCount = 4, wanted = 1) {
    this.keys = permitLock(KEYS, permitCount, wanted);
    this.#all = Array.from({ length: permitCount }, (_, permit) => permit);
    const { context } = this.#coordinator;
    const entropy = { ...context.entropy, unit: () => this.unit };
    const { permits } = this.keys;
    if (permits === undefined) throw new Error("it has no permits");
    this.picker = new PermitPicker({ ...context, entropy }, this.keys, permits);
  }

  /** This process holds them, or asks for them elsewhere. */
  take(permits: Iterable<number>): void {
    for (const permit of permits) {
      this.#coordinator.context.waitQueues.permits.add(
        permitLock(KEYS, this.#all.length, 1, [permit]),
      );
    }
  }

  /** What its process believes to hold or to ask for. */
  get taken(): number[] {
    const { permits } = this.#coordinator.context.waitQueues;
    return this.#all.filter((permit) => permits.has(this.keys, permit));
  }

  next(waitQueue?: WaitQueue): number {
    return this.nextOnes(waitQueue)[0] ?? -1;
  }

  nextOnes(waitQueue?: WaitQueue): readonly number[] {
    return this.picker.next(waitQueue, this.#coordinator.clock.now()).permits?.numbers ?? [];
  }

  /** A wait queue for which nodes reserve permits. */
  reserved(...reservations: readonly (readonly [index: number, permit: number])[]): WaitQueue {
    const waitQueue = new WaitQueue(this.keys, 3);
    const untilMs = this.#coordinator.clock.now() + 20;
    for (const [index, permit] of reservations) waitQueue.onTurn(index, [permit], untilMs);
    return waitQueue;
  }

  /** A node that refuses, and says which are taken there. */
  told(...taken: readonly number[]): Vote {
    return takenVote(this.#all.length, taken, 60_000);
  }

  /** All nodes say that only these are free. */
  onlyFree(...free: readonly number[]): AttemptFailure {
    const vote = this.told(...this.#all.filter((permit) => !free.includes(permit)));
    return failureOf("refused", [vote, vote, vote]);
  }
}

const permits = (permitCount: number): fc.Arbitrary<Set<number>> =>
  fc.uniqueArray(fc.integer({ min: 0, max: permitCount - 1 })).map((list) => new Set(list));

const SOME = fc
  .integer({ min: 1, max: 20 })
  .chain((permitCount) =>
    fc.tuple(fc.constant(permitCount), permits(permitCount), permits(permitCount), unit),
  );

describe("PermitPicker", () => {
  it("picks first the smallest that its process neither holds nor asks for", () => {
    const bench = new Bench(6);
    bench.unit = 0.9;
    bench.take([0, 3]);
    expect([bench.next(), bench.taken]).to.deep.equal([1, [0, 1, 3]]);
    bench.take([2]);
    expect(bench.next()).to.equal(4);
    bench.take([5]);
    expect(bench.next(), "its own, as none is left").to.equal(0);
  });

  it("picks as many as are wanted", () => {
    const bench = new Bench(8, 3);
    bench.take([1, 4]);
    expect(bench.nextOnes()).to.deep.equal([0, 2, 3]);
    expect(bench.taken).to.deep.equal([0, 1, 2, 3, 4]);
    expect(bench.picker.onFailure(bench.onlyFree(4, 5, 6, 7))).to.equal(true);
    expect(bench.nextOnes()).to.deep.equal([5, 6, 7]);
    expect(bench.picker.onFailure(bench.onlyFree(6, 7)), "too few").to.equal(false);
    expect(bench.nextOnes(), "nothing is known").to.deep.equal([0, 2, 3]);
  });

  it("asks for no fewer than are wanted where the semaphore has become smaller than that", () => {
    const bench = new Bench(2, 4);
    expect(bench.nextOnes(), "so that nodes refuse it").to.deep.equal([0, 1, 2, 3]);
    expect(bench.picker.onFailure(bench.onlyFree(0, 1))).to.equal(false);
    expect(bench.nextOnes()).to.deep.equal([0, 1, 2, 3]);
  });

  it("still knows what its process holds when others have asked for that in vain", () => {
    const bench = new Bench(5, 3);
    bench.take([0, 1, 2]);
    expect(bench.nextOnes(), "there are not enough others").to.deep.equal([0, 1, 2]);
    bench.picker.onFailure(bench.onlyFree(3, 4));
    expect(bench.taken).to.deep.equal([0, 1, 2]);
  });

  it("picks the smallest that nodes report free, without its own, unless none is left", () => {
    fc.assert(
      fc.property(SOME, ([permitCount, free, own, number]) => {
        const bench = new Bench(permitCount);
        bench.next();
        const isAnotherFree = bench.picker.onFailure(bench.onlyFree(...free));
        expect(isAnotherFree).to.equal(free.size > 0);
        bench.take(own);
        bench.unit = number;
        const all = Array.from({ length: permitCount }, (_, permit) => permit);
        const told = free.size > 0 ? [...free] : all;
        const others = told.filter((permit) => !own.has(permit));
        expect(bench.next()).to.equal(Math.min(...(others.length > 0 ? others : told)));
      }),
    );
  });

  it("picks at random among those that nodes report free, where others ask for the smallest, too", () => {
    const again = new Bench(6);
    const votes = new Bench(6);
    again.next();
    again.picker.onFailure(again.onlyFree(1, 2, 4, 5));
    again.next();
    again.picker.onFailure(again.onlyFree(2, 4, 5));
    votes.next();
    const failure = failureOf("split", [granted(), votes.told(0, 1, 3), votes.told(0, 1, 3)]);
    votes.picker.onFailure(failure);
    for (const bench of [again, votes]) {
      bench.unit = 0.5;
      expect(bench.next()).to.equal(4);
    }
  });

  it("forgets what nodes have said once it was used", () => {
    const bench = new Bench();
    bench.next();
    bench.picker.onFailure(bench.onlyFree(3));
    expect(bench.next()).to.equal(3);
    bench.picker.letGo();
    expect(bench.next()).to.equal(0);
  });

  it("asks first for what most nodes reserve, whatever was free and whatever its process holds", () => {
    const bench = new Bench();
    bench.take([2]);
    bench.next();
    bench.picker.onFailure(bench.onlyFree(3));
    const waitQueue = bench.reserved([0, 1], [1, 2], [2, 2]);
    expect(bench.next(waitQueue)).to.equal(2);
    expect(bench.next(waitQueue), "each once").to.equal(1);
  });

  it("asks for what is reserved, though it knows of fewer permits", () => {
    const [few, many] = [new Bench(2), new Bench(4)];
    expect(few.next(many.reserved([0, 3], [1, 3]))).to.equal(3);
  });

  it("says what it asks for, and no longer than it asks", () => {
    const bench = new Bench();
    bench.take([0]);
    bench.next();
    expect(bench.taken).to.deep.equal([0, 1]);
    bench.picker.onFailure(bench.onlyFree(3));
    expect(bench.taken).to.deep.equal([0]);
    bench.next();
    expect(bench.taken).to.deep.equal([0, 3]);
    bench.picker.letGo();
    bench.picker.letGo();
    expect(bench.taken).to.deep.equal([0]);
  });

  for (const { title, votes, isAnotherFree } of [
    {
      title: "no node says that another is free",
      votes: [held(), held(), held()],
      isAnotherFree: false,
    },
    {
      title: "a quorum is silent",
      votes: [fault(), fault(), undefined],
      isAnotherFree: false,
    },
    {
      title: "a node that granted it may grant another",
      votes: [granted(), held(), new Bench().told(0)],
      isAnotherFree: true,
    },
  ]) {
    it(`${isAnotherFree ? "goes on" : "pauses"} where ${title}`, () => {
      const bench = new Bench();
      bench.next();
      expect(bench.picker.onFailure(failureOf("refused", votes))).to.equal(isAnotherFree);
    });
  }

  it("asks for the same one where a quorum granted it and only its token was too low", () => {
    const bench = new Bench();
    bench.next();
    bench.picker.onFailure(bench.onlyFree(2));
    expect(bench.next()).to.equal(2);
    const votes = [granted(), granted(), bench.told(2)];
    for (const kind of ["exhausted", "unreachable"] as const) {
      expect(bench.picker.onFailure(failureOf(kind, votes, true))).to.equal(true);
      expect([bench.next(), bench.taken]).to.deep.equal([2, [2]]);
    }
  });

  it("asks for none at once where the nodes were too slow", () => {
    const bench = new Bench();
    bench.next();
    const failure = { ...bench.onlyFree(3), kind: "exhausted" } as const;
    expect(bench.picker.onFailure(failure)).to.equal(false);
    expect(bench.taken).to.deep.equal([]);
    expect(bench.next(), "nothing is known").to.equal(0);
  });

  it("picks from all again once what nodes have said is outdated", () => {
    const bench = new Bench();
    bench.next();
    bench.picker.onFailure(bench.onlyFree(3));
    bench.picker.forget();
    expect(bench.next()).to.equal(0);
  });
});
