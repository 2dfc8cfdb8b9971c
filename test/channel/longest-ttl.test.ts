import { expect } from "chai";
import { LongestTtl, type LongestTtlSettings } from "../../src/channel/longest-ttl.js";
import { MisconfiguredError, LockManager, type LockManagerOptions } from "../../src/index.js";
import { memoryNodes, type MemoryNode } from "../../src/memory/index.js";
import type { Sighting } from "../../src/protocol/quarantine.js";
import Redlock from "../../src/integrations/redlock/index.js";
import { at } from "../support/nodes.js";
import { recordOf } from "../support/scripted-transport.js";
import { eventually, rejectionWith } from "../support/settle.js";

const sighting = (maxTtlMs: number): Sighting => ({
  ...{ record: recordOf({ maxTtlMs }), nodeTimeMs: 0, sentSteadyMs: 0, seenSteadyMs: 0 },
  ...{ seenWallMs: 0, sawChange: false, ownSinceMs: undefined },
});

/** What all nodes show, and what is said about it. */
class Bench {
  readonly sightings: (Sighting | undefined)[] = [undefined, undefined, undefined];
  readonly told: string[] = [];
  readonly longest: LongestTtl;

  constructor(settings: Partial<LongestTtlSettings> = {}) {
    const implicit = { nodeCount: 3, maxTtlMs: 60_000, raisesTtl: false, firstTtlMs: 60_000 };
    const all = { ...implicit, usualTtlMs: 10_000, ...settings };
    this.longest = new LongestTtl(all, this.sightings, (index, text) =>
      this.told.push(`${index}: ${text}`),
    );
  }

  see(index: number, maxTtlMs: number, earlierMs = maxTtlMs): void {
    const before = this.sightings[index];
    this.sightings[index] = sighting(maxTtlMs);
    this.longest.onSeen(index, earlierMs, before);
  }
}

describe("LongestTtl", () => {
  it("is what a quorum has on record, once a quorum was seen", () => {
    const bench = new Bench();
    bench.see(0, 30_000);
    expect(bench.longest.recordedMs).to.equal(undefined);
    bench.see(1, 90_000);
    expect(bench.longest.recordedMs).to.equal(30_000);
    bench.see(2, 60_000);
    expect(bench.longest.recordedMs).to.equal(60_000);
  });

  it("begins a record with what the other nodes show, or else with this client's first value", () => {
    const bench = new Bench();
    expect(bench.longest.firstFor(0)).to.equal(60_000);
    bench.see(0, 90_000);
    expect(bench.longest.firstFor(0)).to.equal(60_000);
    bench.see(1, 20_000);
    bench.see(2, 30_000);
    expect(bench.longest.firstFor(0)).to.equal(30_000);
  });

  for (const { title, settings, seen, told } of [
    { title: "fits", settings: {}, seen: [60_000, 60_000, 60_000], told: [] },
    {
      title: "is lowered to the records",
      settings: {},
      seen: [30_000, 20_000, 30_000],
      told: [/^1: locks may last 20000 ms here, as on record, and not 60000 ms: set `maxTtlMs`/],
    },
    {
      title: "is too short for the usual lock, which is an error",
      settings: { usualTtlMs: 40_000 },
      seen: [30_000, 30_000, 30_000],
      told: [],
    },
    {
      title: "was given, and is being put on record",
      settings: { raisesTtl: true },
      seen: [30_000, 30_000, 30_000],
      told: [],
    },
  ]) {
    it(`says once what becomes of a value that ${title}`, () => {
      const bench = new Bench(settings);
      seen.forEach((ms, index) => bench.see(index, ms));
      seen.forEach((ms, index) => bench.see(index, ms));
      expect(bench.told).to.have.length(told.length);
      told.forEach((text, index) => expect(bench.told[index]).to.match(text));
    });
  }

  it("says who raised the records, once for each value, with the price", () => {
    const bench = new Bench({ raisesTtl: true, maxTtlMs: 120_000 });
    bench.see(0, 120_000, 60_000);
    bench.see(1, 120_000, 60_000);
    expect(bench.told).to.deep.equal([
      "0: this client raised the longest ttl on record from 60000 to 120000 ms: " +
        "whenever a node loses its data, it does not vote for that long",
    ]);
    bench.see(0, 300_000);
    bench.see(1, 300_000);
    expect(bench.told.slice(1)).to.deep.equal([
      "0: another client raised the longest ttl on record from 120000 to 300000 ms: " +
        "whenever a node loses its data, it does not vote for that long",
    ]);
  });
});

const recorded = (nodes: readonly MemoryNode[]): Promise<unknown[]> =>
  Promise.all(
    nodes.map(async (node) =>
      Number(await node.command("HGET", "quorate:incarnation", "maxTtlMs")),
    ),
  );

interface Told extends AsyncDisposable {
  readonly locks: LockManager;
  readonly warnings: string[];
}

function manager(nodes: readonly MemoryNode[], options: LockManagerOptions): Told {
  const locks = new LockManager(nodes, { nodeTimeoutMs: 200, ...options });
  const warnings: string[] = [];
  locks.on("warning", ({ code, message }) => code === "QUORATE_MAX_TTL" && warnings.push(message));
  return { locks, warnings, [Symbol.asyncDispose]: () => locks.close() };
}

describe("The longest ttl on record", () => {
  it("begins with 60 s, whatever ttl a lock manager uses by default", async () => {
    const nodes = memoryNodes(3);
    await using long = manager(nodes, { ttlMs: 120_000 });
    const error = await rejectionWith(MisconfiguredError, long.locks.ready());
    expect(await recorded(nodes)).to.deep.equal([60_000, 60_000, 60_000]);
    expect(error).to.deep.include({ recordedTtl: { neededMs: 120_000, recordedMs: 60_000 } });
    expect(error.message)
      .to.match(/would last 120000 ms, .* allow for 60000 ms/)
      .and.match(/\. Set `maxTtlMs`, which raises it for every client, or use a shorter ttl$/);
    const startedMs = performance.now();
    const refused = await rejectionWith(MisconfiguredError, long.locks.acquire("a"));
    expect(refused.message).to.match(/^"a" would last 120000 ms, and the nodes allow for 60000 ms/);
    expect(performance.now() - startedMs).to.be.below(1_000);
    const lock = await long.locks.acquire("a", { ttlMs: 50_000 });
    expect(await lock.release()).to.equal("released");
    const before = await rejectionWith(MisconfiguredError, long.locks.elect("b").next());
    expect(before.message).to.match(/^"b" would last 120000 ms/);
  });

  it("begins with what was set, and limits those who set nothing, with a warning", async () => {
    const nodes = memoryNodes(3);
    await using short = manager(nodes, { ttlMs: 5_000, maxTtlMs: 30_000 });
    await short.locks.ready();
    await using usual = manager(nodes, {});
    await usual.locks.ready();
    expect(usual.warnings).to.have.length(1);
    expect(usual.warnings[0]).to.match(/locks may last 30000 ms here, .* not 60000 ms/);
    await (await usual.locks.acquire("a")).release();
    const refused = await rejectionWith(
      MisconfiguredError,
      usual.locks.acquire("a", { ttlMs: 45_000 }),
    );
    expect(refused).to.deep.include({ recordedTtl: { neededMs: 45_000, recordedMs: 30_000 } });
    expect(await recorded(nodes)).to.deep.equal([30_000, 30_000, 30_000]);
    // Locks that fit are not touched, and a raise by intention is said.
    await using raised = manager(nodes, { maxTtlMs: 90_000 });
    await raised.locks.ready();
    expect(raised.warnings[0]).to.match(/this client raised .* from 30000 to 90000 ms/);
    await eventually("the raise", async () => (await recorded(nodes)).every((ms) => ms === 90_000));
    at(nodes, 0).restart();
    await eventually("the next handshake", () => usual.warnings.length > 1);
    expect(usual.warnings[1]).to.match(/another client raised .* from 30000 to 90000 ms/);
  });

  it("is written again on a node that lost it as the others have it, by whoever finds out", async () => {
    const nodes = memoryNodes(3);
    await using raised = manager(nodes, { maxTtlMs: 90_000 });
    await raised.locks.ready();
    await using usual = manager(nodes, {});
    await usual.locks.ready();
    await raised.locks.close();
    at(nodes, 0).restart();
    await eventually("the new record", async () => (await recorded(nodes))[0] !== 0);
    expect(await recorded(nodes)).to.deep.equal([90_000, 90_000, 90_000]);
    // The quarantine is that of the longest lock, not of this manager's.
    await eventually("it is seen", () => at(usual.locks.nodes, 0).state === "quarantined");
    expect(at(usual.locks.nodes, 0).quarantineLeftMs).to.be.within(85_000, 91_000);
  });

  it("is raised by the drop-in where a duration needs it, which it says once", async () => {
    const nodes = memoryNodes(3);
    await using short = manager(nodes, { maxTtlMs: 30_000 });
    await short.locks.ready();
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const redlock = new Redlock(nodes as never[]);
    try {
      await (await redlock.acquire(["a"], 10_000)).release();
      expect(await recorded(nodes)).to.deep.equal([30_000, 30_000, 30_000]);
      await (await redlock.acquire(["a"], 70_000)).release();
      await (await redlock.acquire(["a"], 80_000)).release();
      expect(await recorded(nodes)).to.deep.equal([80_000, 80_000, 80_000]);
      await new Promise(setImmediate);
    } finally {
      process.off("warning", onWarning);
      await redlock.quit();
    }
    const told = warnings.filter(
      (warning) => (warning as { code?: string }).code === "QUORATE_MAX_TTL",
    );
    expect(told.map(({ message }) => message)).to.have.length(1);
    expect(told[0]?.message).to.match(/this client raised .* from 30000 to 70000 ms: whenever/);
  });
});
