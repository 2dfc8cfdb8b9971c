import { expect } from "chai";
import * as fc from "fast-check";
import { Acquire } from "../../src/coordinator/acquire.js";
import { MIN_REFRESH_MS } from "../../src/protocol/node-queue.js";
import { CoordinatorBench, heardInbox, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import type { RefusedVote } from "../../src/protocol/operation.js";
import { fault, granted, held } from "../support/votes.js";

const WAIT_MS = 10_000;
const [MIN_DELAY_MS, MAX_DELAY_MS] = [10, 250];

/** A waiting acquire, first in line, with random numbers that are the test's, until it asks again. */
class Bench {
  readonly bench = new CoordinatorBench(3, new ManualClock(), { ...heardInbox() });
  unit = 0;
  /** When it asked again, ms after it began to wait. */
  readonly due: number[] = [];
  readonly startMs = this.bench.clock.now();
  readonly acquire: Acquire;

  constructor() {
    const { context } = this.bench;
    const entropy = { ...context.entropy, unit: () => this.unit };
    const wait = {
      ...{ waitMs: WAIT_MS, minDelayMs: MIN_DELAY_MS, maxDelayMs: MAX_DELAY_MS, fair: false },
    };
    const wanted = { keys: KEYS, settings: leaseSettings(), wait };
    this.acquire = new Acquire({ ...context, entropy }, wanted, () => {});
  }

  /** It is refused, and enters the nodes' queues. */
  sleepInPlace(quorumFreeInMs: number): void {
    const { clock, nodes } = this.bench;
    this.acquire.begin();
    for (let asked = 1; asked <= 2; asked++) {
      expect(this.bench.counts("acquire")).to.deep.equal([asked, asked, asked]);
      this.bench.answer(
        "acquire",
        [0, 1, 2].map(() => held(quorumFreeInMs)),
      );
      clock.advance(0);
    }
    const [node] = nodes;
    const submit = node?.submit.bind(node);
    if (node === undefined || submit === undefined) throw new Error("there are no nodes");
    node.submit = (operation, ...rest) => {
      if (operation.kind === "acquire") {
        this.due.push(this.nowMs - this.startMs);
        clock.defer(() => this.acquire.abort());
      }
      submit(operation, ...rest);
    };
  }

  get isInPlace(): boolean {
    return this.placeCount === 1;
  }

  get nowMs(): number {
    return this.bench.clock.now();
  }

  advance(ms: number): this {
    this.bench.clock.advance(ms);
    return this;
  }

  get placeCount(): number | undefined {
    return this.bench.context.waitQueues.places?.size;
  }

  /** All nodes say that the name is free in so many ms from then on. */
  freeAfter(ms: number): void {
    this.bench.blockFor(ms);
  }
}

describe("WaitPlace, in the nodes' queues", () => {
  it("keeps a place in the nodes' queues until it is stopped", () => {
    const bench = new Bench();
    expect(bench.isInPlace).to.equal(false);
    bench.sleepInPlace(5_000);
    expect([bench.isInPlace, bench.placeCount]).to.deep.equal([true, 1]);
    bench.acquire.abort();
    expect([bench.isInPlace, bench.placeCount]).to.deep.equal([false, 0]);
    bench.advance(2 * WAIT_MS);
    expect(bench.due).to.deep.equal([]);
    expect(bench.bench.nodes[0]?.refreshes).to.deep.equal([]);
  });

  it("asks when a quorum can be free by expiry, with jitter", () => {
    for (const [number, due] of [
      [0, 200],
      [0.5, 200 + MIN_DELAY_MS / 2],
    ] as const) {
      const bench = new Bench();
      bench.unit = number;
      bench.sleepInPlace(200);
      // Before the first refresh.
      bench.advance(MIN_REFRESH_MS - 1);
      expect(bench.due).to.deep.equal([due]);
    }
  });

  /** When it asks, told at first that the name is free in so long, and by refreshes that it is free then. */
  function askedMs(firstMs: number, freeAtMs: number): number {
    const bench = new Bench();
    bench.freeAfter(freeAtMs);
    bench.sleepInPlace(firstMs);
    bench.advance(2 * WAIT_MS);
    expect(bench.due).to.have.length(1);
    return bench.due[0] ?? -1;
  }

  it("asks later, and not before, where refreshes say that the name is still held", () => {
    const first = fc.integer({ min: MIN_REFRESH_MS + 1, max: WAIT_MS });
    fc.assert(
      fc.property(first, fc.nat(2 * WAIT_MS), (firstMs, laterMs) => {
        const freeAtMs = firstMs + laterMs;
        expect(askedMs(firstMs, freeAtMs)).to.equal(Math.min(freeAtMs, WAIT_MS));
      }),
      { numRuns: 30 },
    );
  });

  it("asks earlier where a refresh says that the name is free earlier", () => {
    const freeAt = fc.integer({ min: 0, max: WAIT_MS / 2 });
    fc.assert(
      fc.property(freeAt, (freeAtMs) => {
        const asked = askedMs(WAIT_MS, freeAtMs);
        // At the first refresh that says so.
        expect(asked).to.be.at.least(freeAtMs);
        expect(asked).to.be.at.most(Math.max(freeAtMs, MIN_REFRESH_MS));
      }),
      { numRuns: 30 },
    );
  });

  it("asks by an attempt, after a pause, and keeps no place, where no quorum answers a refresh", () => {
    const bench = new Bench();
    bench.unit = 0.5;
    for (const node of bench.bench.nodes) node.look = fault("disconnected");
    bench.sleepInPlace(WAIT_MS);
    bench.advance(MIN_REFRESH_MS);
    expect([bench.isInPlace, bench.placeCount]).to.deep.equal([false, 0]);
    expect(bench.due).to.deep.equal([]);
    bench.advance(WAIT_MS);
    // After two attempts.
    const pauseMs = (MIN_DELAY_MS + MIN_DELAY_MS * 4) / 2;
    expect(bench.due).to.deep.equal([MIN_REFRESH_MS + pauseMs]);
  });

  it("is not put off by that: it asks when it would have", () => {
    const bench = new Bench();
    bench.unit = 0.5;
    for (const node of bench.bench.nodes) node.look = fault("disconnected");
    const freeMs = MIN_REFRESH_MS + 10;
    bench.sleepInPlace(freeMs);
    bench.advance(WAIT_MS);
    expect(bench.due).to.deep.equal([freeMs + MIN_DELAY_MS / 2]);
  });

  it("asks although the name is held, if some nodes have notified it since", () => {
    const bench = new Bench();
    bench.sleepInPlace(WAIT_MS);
    bench.unit = 1;
    bench.advance(20).bench.context.waitQueues.onTurn(0, KEYS, 20);
    bench.advance(WAIT_MS / 2);
    expect(bench.due).to.deep.equal([20 + MIN_DELAY_MS * 4]);
  });
});

describe("WaitPlace, notified by a quorum while it asks", () => {
  const wait = { waitMs: WAIT_MS };
  /** Its attempt is lost, and the last node is slow to say why. */
  function lostBench() {
    const bench = new CoordinatorBench(3, new ManualClock(), heardInbox());
    const { outcomes, pendingAcquire } = bench.acquire({}, { ...wait, fair: true });
    const told = (node: number): void => bench.context.waitQueues.onTurn(node, KEYS, 20);
    return { bench, outcomes, pendingAcquire, told, attempts: () => bench.counts("acquire")[0] };
  }
  /** Each by another. */
  const split = (node: number): RefusedVote => ({ ...held(), holder: String(node) });

  it("asks anew at once if its attempt has failed, whatever a slow node will say", () => {
    const { bench, attempts, told, outcomes } = lostBench();
    bench.answer("acquire", [split(0), split(1)]);
    bench.clock.advance(10);
    told(0);
    bench.clock.advance(0);
    expect(attempts(), "one node").to.equal(1);
    told(2);
    bench.clock.advance(0);
    expect(attempts(), "a quorum").to.equal(2);
    const [, , slow] = bench.nodes;
    slow?.all("acquire")[0]?.reply(split(2));
    bench.answer("acquire", [granted(7), granted(7)]);
    expect(outcomes[0]).to.include({ kind: "granted", attemptCount: 2 });
  });

  it("leaves it to its attempt while that can be granted", () => {
    const { bench, attempts, told } = lostBench();
    bench.answer("acquire", [split(0)]);
    bench.clock.advance(10);
    told(0);
    told(2);
    expect(attempts()).to.equal(1);
    bench.answer("acquire", [undefined, split(1), split(2)]);
    bench.clock.advance(0);
    expect(attempts(), "as it was notified meanwhile").to.equal(2);
  });

  for (const { title, votes, isDecided } of [
    {
      title: "no longer asks once its attempt has failed",
      votes: [split(0), split(1)],
      isDecided: true,
    },
    { title: "asks while that can be granted", votes: [split(0)], isDecided: false },
  ]) {
    it(title, () => {
      const { bench, pendingAcquire } = lostBench();
      const { waitQueues } = bench.context;
      bench.answer("acquire", votes);
      bench.clock.advance(10);
      expect(
        pendingAcquire.whenDecided(KEYS.lockKey, () => {}),
        "steals",
      ).to.equal(!isDecided);
      expect(waitQueues.of(KEYS)?.toSend() !== undefined, "queues it").to.equal(isDecided);
    });
  }

  it("tells a request that steals the name once it has given its attempt up", () => {
    const { bench, pendingAcquire, told } = lostBench();
    let decidedCount = 0;
    expect(pendingAcquire.whenDecided(KEYS.lockKey, () => decidedCount++)).to.equal(true);
    bench.answer("acquire", [split(0), split(1)]);
    bench.clock.advance(10);
    told(0);
    expect(decidedCount).to.equal(0);
    told(2);
    expect(decidedCount).to.equal(1);
  });
});
