import { expect } from "chai";
import { measure } from "../../bench/measure.js";
import type { Plan } from "../../bench/plan.js";
import { parseResults } from "../../bench/publish.js";
import { report } from "../../bench/report.js";
import type { Results } from "../../bench/results.js";

describe("the bench on real servers", function () {
  this.timeout(60_000);
  let results: Results;

  before(async () => {
    const plan: Plan = {
      uncontended: {
        cells: [{ cell: { nodeCount: 3, inFlight: 4 }, subjectNames: ["quorate", "raw-socket"] }],
        rounds: 1,
        warmUpMs: 20,
        measureMs: 50,
      },
      contended: {
        nodeCount: 3,
        cases: [
          {
            contention: { processCount: 2, workerCount: 2, sectionMs: 1 },
            subjectNames: ["quorate", "floor"],
          },
        ],
        rounds: 1,
        measureMs: 200,
      },
      faults: {
        nodeCount: 3,
        cases: [{ fault: "frozen", struckCount: 1 }],
        rounds: 1,
        cyclesPerSecond: 200,
        warmUpMs: 50,
        healthyMs: 200,
        outageMs: 200,
        recoveryMs: 100,
      },
      held: {
        nodeCount: 3,
        lockCounts: [10],
        ttlMs: 3_000,
        rounds: 1,
        // Renewals come after a third of the ttl.
        settleMs: 500,
        measureMs: 1_000,
      },
      cold: {
        nodeCount: 3,
        cells: [{ nodeCount: 3, inFlight: 2 }],
        libraries: ["quorate", "redlock", "ioredis"],
        cycleCount: 20,
        rounds: 1,
      },
      waited: { nodeCount: 3, nameCounts: [30], rounds: 1, settleMs: 500, measureMs: 1_000 },
    };
    results = await measure(plan, { write: () => {} });
  });

  it("counts what the nodes did: two commands a cycle of two commands", () => {
    const [quorate, floor] = results.uncontended.map(({ samples }) => samples[0]);
    expect(floor?.sentPerNode).to.be.closeTo(2, 0.1);
    expect(quorate?.cyclesPerSecond).to.be.above(0);
    expect(quorate?.p99Ms).to.be.at.least(quorate?.p50Ms ?? Number.NaN);
  });

  it("hands over, and the floor with as many commands as it takes", () => {
    const [quorate, floor] = results.contended.map(({ samples }) => samples[0]);
    expect(quorate?.handOversPerSecond).to.be.above(0);
    // A grant and a release, but for one that is under way at the end.
    expect(floor?.callsPerNode).to.be.within(1, 3);
  });

  it("goes on while a node is frozen, once and again", () => {
    expect(results.faults.map(({ outage }) => outage)).to.deep.equal(["first", "second"]);
    for (const { samples } of results.faults) {
      expect(samples).to.have.length(1);
      for (const sample of samples) {
        expect(sample.outage.count).to.be.above(0);
        expect(sample.normal.calls).to.be.above(0);
        expect(sample.heapBytes.late).to.be.above(1e6);
      }
    }
  });

  it("renews what is held", () => {
    const [sample] = results.held[0]?.samples ?? [];
    expect(sample?.lostCount).to.equal(0);
    expect(sample?.callsPerNode).to.be.above(0);
  });

  it("wakes those who wait, who meanwhile ask the nodes all at once", () => {
    const [sample] = results.waited[0]?.samples ?? [];
    // Not a number if one of them was not woken at all.
    expect(sample?.wakeMaxMs).to.be.above(0);
    // A refresh every 250 ms, and what the holder renews; 30 attempts each time would be more.
    expect(sample?.callsPerNode).to.be.within(1, 20);
  });

  it("starts each library in a process of its own", () => {
    const [quorate, redlock, ioredis] = results.cold.map(({ samples }) => samples[0]);
    for (const sample of [quorate, redlock]) {
      expect(sample?.importCpuMs).to.be.above(1);
      expect(sample?.firstLockMs).to.be.above(0);
      expect(sample?.cycleCpuUs).to.be.above(0);
    }
    // It is imported by both of them.
    expect(ioredis?.importCpuMs).to.be.above(1);
    expect(Number.isNaN(ioredis?.cycleCpuUs)).to.equal(true);
  });

  it("reports the same from the data as from the run", () => {
    expect(report(parseResults(JSON.stringify(results)))).to.equal(report(results));
  });
});
