import { expect } from "chai";
import * as fc from "fast-check";
import { MAX_RENEWALS, renewalsOn } from "../../src/coordinator/renewals.js";
import type { Throttled } from "../../src/coordinator/admission.js";
import { CoordinatorBench } from "../support/coordinator-bench.js";
import { ManualClock, settle } from "../support/manual-clock.js";
import { granted } from "../support/votes.js";

/** Begins what it is asked to, and keeps the order. */
class RenewalsBench {
  readonly clock = new ManualClock();
  readonly renewals = renewalsOn(this.clock);
  readonly begun: number[] = [];
  readonly #leases = new Map<number, Throttled>();

  lease(id: number): Throttled {
    const lease = this.#leases.get(id) ?? { begin: () => this.begun.push(id) };
    this.#leases.set(id, lease);
    return lease;
  }

  begin(from: number, to: number): void {
    for (let id = from; id < to; id++) this.renewals.enter(this.lease(id), false);
  }
}

describe("Renewals", () => {
  it("begin at once while there is room, then as others end, first come first served", () => {
    const bench = new RenewalsBench();
    bench.begin(0, MAX_RENEWALS + 3);
    expect(bench.begun).to.have.length(MAX_RENEWALS);
    expect(bench.renewals.waitingCount).to.equal(3);
    bench.renewals.onEnd();
    bench.renewals.onEnd();
    bench.clock.advance(0);
    expect(bench.begun.slice(MAX_RENEWALS)).to.deep.equal([MAX_RENEWALS, MAX_RENEWALS + 1]);
    expect(bench.renewals.waitingCount).to.equal(1);
  });

  it("begin the next in a turn of the event loop of their own, so that replies are read between", () => {
    const bench = new RenewalsBench();
    bench.begin(0, MAX_RENEWALS + 1);
    bench.renewals.onEnd();
    bench.clock.flush();
    expect(bench.begun).to.have.length(MAX_RENEWALS);
    bench.clock.advance(0);
    expect(bench.begun).to.have.length(MAX_RENEWALS + 1);
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("let one that is urgent go past the others, and begin it once", () => {
    const bench = new RenewalsBench();
    bench.begin(0, MAX_RENEWALS + 2);
    const last = MAX_RENEWALS + 1;
    expect(bench.renewals.enter(bench.lease(last), true)).to.equal(true);
    expect(bench.begun.at(-1)).to.equal(last);
    bench.renewals.onEnd();
    bench.renewals.onEnd();
    bench.clock.advance(0);
    expect(bench.begun.slice(MAX_RENEWALS)).to.deep.equal([last, MAX_RENEWALS]);
  });

  it("bound the urgent ones too, and serve them before all others", () => {
    const bench = new RenewalsBench();
    bench.begin(0, MAX_RENEWALS + 1);
    const from = MAX_RENEWALS + 1;
    for (let id = from; id < from + MAX_RENEWALS + 2; id++) {
      bench.renewals.enter(bench.lease(id), true);
    }
    expect(bench.begun).to.have.length(2 * MAX_RENEWALS);
    for (let ended = 0; ended < MAX_RENEWALS + 1; ended++) bench.renewals.onEnd();
    bench.clock.advance(0);
    // Two urgent ones were left. There is no room for others yet.
    expect(bench.begun.slice(2 * MAX_RENEWALS)).to.deep.equal([
      from + MAX_RENEWALS,
      from + MAX_RENEWALS + 1,
    ]);
    for (let ended = 0; ended < 2; ended++) bench.renewals.onEnd();
    bench.clock.advance(0);
    expect(bench.begun.at(-1)).to.equal(MAX_RENEWALS);
    expect(bench.renewals.waitingCount).to.equal(0);
  });

  it("begin none that was forgotten, and none once they are closed", () => {
    const bench = new RenewalsBench();
    bench.begin(0, MAX_RENEWALS + 2);
    bench.renewals.leave(bench.lease(MAX_RENEWALS));
    bench.renewals.onEnd();
    bench.clock.advance(0);
    expect(bench.begun.slice(MAX_RENEWALS)).to.deep.equal([MAX_RENEWALS + 1]);
    bench.begin(MAX_RENEWALS + 2, MAX_RENEWALS + 5);
    bench.renewals.close();
    bench.renewals.onEnd();
    bench.clock.advance(0);
    expect(bench.renewals.enter(bench.lease(0), true)).to.equal(true);
    expect(bench.begun).to.have.length(MAX_RENEWALS + 1);
  });

  it("lose none and exceed their number never, in whatever order they come and end", () => {
    const steps = fc.array(
      fc.record({ come: fc.nat(2 * MAX_RENEWALS), end: fc.nat(2 * MAX_RENEWALS) }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const bench = new RenewalsBench();
        let [came, ended] = [0, 0];
        const end = (count: number): void => {
          for (let n = 0; n < count && ended < bench.begun.length; n++, ended++) {
            bench.renewals.onEnd();
          }
          bench.clock.advance(0);
          expect(bench.begun.length - ended).to.be.at.most(MAX_RENEWALS);
        };
        for (const step of all) {
          bench.begin(came, came + step.come);
          came += step.come;
          end(step.end);
        }
        while (ended < bench.begun.length) end(came);
        expect(bench.begun).to.deep.equal(Array.from({ length: came }, (_, id) => id));
      }),
      { numRuns: 30 },
    );
  });
});

describe("Leases: many renewals", () => {
  const COUNT = MAX_RENEWALS + 50;

  function many(): { bench: CoordinatorBench; lost: () => number } {
    const bench = new CoordinatorBench();
    for (let n = 0; n < COUNT; n++) bench.lease({ ttlMs: 3_000 });
    return { bench, lost: () => bench.lost.length };
  }

  function answerAll(bench: CoordinatorBench, from: number): void {
    for (const node of bench.nodes) {
      for (const { reply } of node.all("extend").slice(from)) reply(granted());
    }
  }

  it("go out in turns when all are due together, and all are renewed", async () => {
    const { bench, lost } = many();
    bench.clock.advance(1_000);
    expect(bench.counts("extend")).to.deep.equal(Array(3).fill(MAX_RENEWALS));
    answerAll(bench, 0);
    await settle();
    bench.clock.advance(1);
    expect(bench.counts("extend")).to.deep.equal(Array(3).fill(COUNT));
    answerAll(bench, MAX_RENEWALS);
    await bench.clock.run(900, 100);
    bench.clock.advance(900);
    expect(lost()).to.equal(0);
  });

  it("wait for no others any more when a third of the ttl is left", () => {
    const { bench } = many();
    // Valid for 2968 ms.
    bench.clock.advance(1_960);
    expect(bench.counts("extend").every((count) => count < COUNT)).to.equal(true);
    bench.clock.advance(10);
    expect(bench.counts("extend").every((count) => count >= COUNT)).to.equal(true);
  });
});
