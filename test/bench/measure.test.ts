import { expect } from "chai";
import type { HeldPlan } from "../../bench/held/plan.js";
import { measure } from "../../bench/measure.js";
import { PART_NAMES, type Plan } from "../../bench/plan.js";
import { parseResults } from "../../bench/publish.js";
import { report } from "../../bench/report.js";
import { seriesIn, type Results } from "../../bench/results.js";
import { rejectionWith } from "../support/settle.js";
import { serversTable } from "../../bench/servers/tables.js";
import { findRedisBinary } from "../../src/testing/redis-binary.js";
import { even, LOCAL, nominalBound } from "../../bench/wide/network.js";

const SILENT = { write: () => {} };

// What is measured has to happen while it is: everything for longer than a busy machine stands still.
describe("the bench on real servers", function () {
  this.timeout(300_000);
  let results: Results = {};
  const ended: string[] = [];

  before(async () => {
    const plan: Plan = {
      uncontended: {
        cells: [{ cell: { nodeCount: 3, inFlight: 4 }, subjectNames: ["quorate", "raw-socket"] }],
        rounds: 1,
        warmUpCycles: 40,
        measureMs: 50,
      },
      budget: {
        cells: [{ cell: { nodeCount: 3, inFlight: 1 }, subjectNames: ["quorate"] }],
        rounds: 1,
        warmUpCycles: 40,
        measureMs: 2_000,
      },
      contended: {
        nodeCount: 3,
        cases: [
          {
            // A section in which nothing is computed: what is counted needs no busy processors.
            contention: { processCount: 2, workerCount: 2, sectionMs: 20 },
            subjectNames: ["quorate", "floor", "quorate-cluster"],
          },
        ],
        rounds: 1,
        warmUpCycles: 4,
        warmUpMs: 100,
        settleMs: 50,
        profileMs: 200,
        measureMs: 2_000,
      },
      faults: {
        nodeCount: 3,
        cases: [{ fault: "frozen", struckCount: 1 }],
        rounds: 1,
        cyclesPerSecond: 50,
        warmUpMs: 50,
        healthyMs: 2_000,
        outageMs: 2_000,
        recoveryMs: 100,
      },
      held: {
        nodeCount: 3,
        lockCounts: [10],
        endedCount: 3,
        ttlMs: 6_000,
        rounds: 1,
        // Renewals come after a third of the ttl.
        settleMs: 500,
        measureMs: 4_000,
      },
      cold: {
        nodeCount: 3,
        cells: [{ nodeCount: 3, inFlight: 2 }],
        libraries: ["quorate", "redlock", "ioredis"],
        cycleCount: 20,
        rounds: 1,
      },
      wide: {
        nodeCount: 3,
        networks: [LOCAL, even(3, 2)],
        subjectNames: ["quorate"],
        rounds: 1,
        warmUpCycles: 10,
        cyclesPerSecond: 25,
        handOverNames: 4,
        settleMs: 20,
        measureMs: 2_000,
        handOverMs: 4_000,
      },
      servers: {
        binaries: [findRedisBinary()],
        nodeCount: 1,
        cells: [{ nodeCount: 1, inFlight: 2 }],
        subjectNames: ["quorate", "redlock", "redis-semaphore"],
        rounds: 1,
        warmUpCycles: 10,
        measureMs: 50,
      },
      permits: {
        nodeCount: 3,
        cases: [
          { permits: 4, heldCount: 0, most: 1 },
          { permits: 30, heldCount: 5, most: 8 },
        ],
        workerCount: 2,
        rounds: 1,
        warmUpMs: 20,
        measureMs: 50,
      },
      observed: {
        nodeCount: 3,
        cases: [
          { managerCount: 0, loopCount: 0 },
          { managerCount: 2, loopCount: 3 },
        ],
        rounds: 1,
        settleMs: 50,
        measureMs: 400,
        changeMs: 50,
      },
      features: {
        nodeCount: 2,
        features: [
          "own name observed",
          "another name with a value",
          "own value",
          "another name renewed",
        ],
        workerCount: 2,
        rounds: 1,
        warmUpMs: 20,
        sliceMs: 20,
        sliceCount: 2,
      },
      takeover: { nodeCount: 3, ttlMs: 6_000, clockStepsMs: [0, 2_000], rounds: 1, settleMs: 300 },
      waited: { nodeCount: 3, nameCounts: [30], rounds: 1, settleMs: 500, measureMs: 1_000 },
    };
    const onPart = (more: Results): void => {
      results = { ...results, ...more };
      ended.push(...Object.keys(more));
    };
    await measure(plan, onPart, SILENT);
  });

  it("counts what the nodes did: two commands a cycle of two commands", () => {
    const [quorate, floor] = seriesIn(results, "uncontended").map(({ samples }) => samples[0]);
    // By all nodes, or by a quorum while the third one stands still.
    expect(floor?.sentPerNode).to.be.within(1.3, 2.1);
    expect(quorate?.cyclesPerSecond).to.be.above(0);
    expect(quorate?.p99Ms).to.be.at.least(quorate?.p50Ms ?? Number.NaN);
  });

  it("divides CPU time into lines of the client and of the nodes", () => {
    const [sample] = seriesIn(results, "budget")[0]?.samples ?? [];
    const clientUs = Object.values(sample?.client ?? {});
    expect(clientUs.reduce((sum, us) => sum + us, 0)).to.be.above(1);
    expect(sample?.nodes).to.include.keys("SET", "HMGET", "DEL");
  });

  it("hands over, and the floor with as many commands as it takes", () => {
    const [quorate, floor, onClusters] = seriesIn(results, "contended").map(
      ({ samples }) => samples[0],
    );
    expect(quorate?.handOversPerSecond).to.be.above(0);
    expect(onClusters?.handOversPerSecond).to.be.above(0);
    // A grant and a release, also of what was handed over before the first process began to count. Who asked in a loop
    // would need many.
    expect(floor?.callsPerNode).to.be.within(1, 6);
    const lines = Object.values(quorate?.clientLines ?? {});
    expect(lines.reduce((sum, us) => sum + us, 0)).to.be.closeTo(quorate?.clientCpuUs ?? 0, 1e-6);
    expect(floor?.clientLines).to.equal(undefined);
  });

  it("goes on while a node is frozen, once and again", () => {
    expect(seriesIn(results, "faults").map(({ outage }) => outage)).to.deep.equal([
      "first",
      "second",
    ]);
    for (const { samples } of seriesIn(results, "faults")) {
      expect(samples).to.have.length(1);
      for (const sample of samples) {
        expect(sample.outage.count).to.be.above(0);
        expect(sample.normal.calls).to.be.above(0);
        expect(sample.heapBytes.late).to.be.above(1e6);
      }
    }
  });

  it("renews what is held, and is told of what another process ends", () => {
    const [sample] = seriesIn(results, "held")[0]?.samples ?? [];
    expect(sample?.lostCount).to.equal(0);
    expect(sample?.callsPerNode).to.be.above(0);
    // Not a number if one signal did not fire at all.
    expect(sample?.toldMaxMs).to.not.satisfy(Number.isNaN);
  });

  it("wakes those who wait, who meanwhile ask the nodes all at once", () => {
    const [sample] = seriesIn(results, "waited")[0]?.samples ?? [];
    // Not a number if one of them was not woken at all.
    expect(sample?.wakeMaxMs).to.be.above(0);
    // A refresh every 400 ms, and what the holder renews; 30 attempts each time would be more.
    expect(sample?.callsPerNode).to.be.within(1, 20);
  });

  it("takes and releases permits, beside those that are held", () => {
    for (const { samples } of seriesIn(results, "permits")) {
      const [sample] = samples;
      expect(sample?.requestsPerSecond).to.be.above(1);
      expect(sample?.nodeUs).to.be.above(0);
    }
  });

  it("shows observers the changes, at a cost to the nodes", () => {
    const [none, some] = seriesIn(results, "observed").map(({ samples }) => samples[0]);
    expect(none?.shownShare).to.satisfy(Number.isNaN);
    // A loop on a busy machine skips what is over.
    expect(some?.shownShare).to.be.within(0.1, 1.5);
    expect(some?.base).to.include({ nodeUs: none?.nodeUs });
  });

  it("acquires and releases with a feature and without", () => {
    for (const { samples } of seriesIn(results, "features")) {
      const [{ plain, used } = {}] = samples;
      for (const cost of [plain, used]) {
        expect(cost?.cyclesPerSecond).to.be.above(1);
        expect(cost?.scriptsUs).to.be.above(0);
      }
    }
  });

  it("replaces holders that were killed, also where their keys outlive them", () => {
    for (const { ttlMs, samples } of seriesIn(results, "takeover")) {
      const [sample] = samples;
      // It was renewed up to a third of the ttl before, or a little more on a busy machine.
      expect(sample?.waiterMs).to.be.above(ttlMs / 3);
      expect(sample?.newcomerMs).to.be.above(ttlMs / 3);
    }
  });

  it("starts each library in a process of its own", () => {
    const [quorate, redlock, ioredis] = seriesIn(results, "cold").map(({ samples }) => samples[0]);
    for (const sample of [quorate, redlock]) {
      expect(sample?.importCpuMs).to.be.above(1);
      expect(sample?.firstLockMs).to.be.above(0);
      expect(sample?.cycleCpuUs).to.be.above(0);
    }
    // It is imported by both of them.
    expect(ioredis?.importCpuMs).to.be.above(1);
    expect(Number.isNaN(ioredis?.cycleCpuUs)).to.equal(true);
  });

  it("takes at least a round trip for an acquire, and hands over from one process to another", () => {
    const series = seriesIn(results, "wide");
    expect(series).to.have.length(2);
    for (const { network, samples } of series) {
      const leastMs = nominalBound(network);
      for (const { boundMs, acquireP50Ms, cycleP50Ms, ...sample } of samples) {
        expect(boundMs).to.be.above(leastMs);
        expect(acquireP50Ms).to.be.above(leastMs);
        expect(cycleP50Ms).to.be.above(2 * leastMs);
        expect(sample.handOverP50Ms).to.be.above(leastMs);
        expect(sample.handOverCount).to.be.above(0);
      }
    }
  });

  it("measures on the servers that it was given, by the names that they give themselves", () => {
    const series = seriesIn(results, "servers");
    const server = results.held?.environment.server ?? "";
    expect(series.map((one) => one.server)).to.deep.equal([server, server, server]);
    expect(serversTable(series)).to.match(
      new RegExp(`\\| ${server} \\| 1 node, 2 in flight \\| [\\d,]+ +\\| \\d+\\.\\d\\d `),
    );
  });

  it("gives each part to the caller as it ends, with its date and plan", () => {
    expect(ended).to.deep.equal(PART_NAMES.filter((name) => results[name] !== undefined));
    expect(results.held?.plan.lockCounts).to.deep.equal([10]);
    expect(results.wide?.environment.server).to.match(/^(Redis|Valkey) \d/);
  });

  it("reports the same from the data as from the run", () => {
    expect(report(parseResults(JSON.stringify(results)))).to.equal(report(results));
  });
});

describe("a bench of which a part fails", function () {
  this.timeout(60_000);

  it("goes on with the others, and tells in the end", async () => {
    const held: HeldPlan = {
      nodeCount: 1,
      lockCounts: [2],
      endedCount: 1,
      ttlMs: 3_000,
      rounds: 1,
      settleMs: 20,
      measureMs: 50,
    };
    const uncontended = {
      cells: [{ cell: { nodeCount: 1, inFlight: 1 }, subjectNames: ["no such subject"] }],
      rounds: 1,
      warmUpCycles: 1,
      measureMs: 1,
    };
    const ended: string[] = [];
    const error = await rejectionWith(
      Error,
      measure({ uncontended, held }, (results) => ended.push(...Object.keys(results)), SILENT),
    );
    expect(error.message).to.match(/the part "uncontended" failed: .*no subject "no such subject"/);
    expect(ended).to.deep.equal(["held"]);
  });
});
