import { expect } from "chai";
import { LockContendedError, QuorumUnreachableError } from "../../src/api/errors.js";
import { LockManager, type NodeVote } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import type { FleetNode } from "../../src/testing/index.js";
import { brief } from "../support/brief.js";
import { allNodes, at, fenceOf, holdByHand, noLockKeys, valueOf } from "../support/nodes.js";
import { eventually, rejectionWith, settled } from "../support/settle.js";

/** So long that whatever waits for a silent node is found out, however busy the machine is. */
const NODE_TIMEOUT_MS = 6_000;

interface Silence {
  readonly how: string;
  readonly begin: (node: FleetNode) => Promise<unknown>;
  /** Not for a node that was killed: one that restarts is quarantined. */
  readonly end?: (node: FleetNode) => Promise<unknown>;
}

const SILENCES: readonly Silence[] = [
  { how: "frozen", begin: (node) => node.pause(), end: (node) => node.resume() },
  { how: "killed", begin: (node) => node.kill() },
  {
    how: "cut off without a word",
    begin: async (node) => node.link.blackhole(),
    end: (node) => node.link.heal(),
  },
  {
    how: "refusing connections",
    begin: (node) => node.link.refuse(),
    end: (node) => node.link.heal(),
  },
];

describe("Silent nodes, a minority of five", () => {
  for (const { how, begin, end } of SILENCES) {
    for (const count of [1, 2]) {
      it(`cost no latency: ${count} ${how}`, async () => {
        await using fleet = await RedisFleet.start({ nodes: 5, links: true });
        await using locks = new LockManager(fleet.urls, { nodeTimeoutMs: NODE_TIMEOUT_MS });
        await using other = new LockManager(fleet.urls, { nodeTimeoutMs: NODE_TIMEOUT_MS });
        await allNodes(locks);
        await allNodes(other);
        await Promise.all(fleet.nodes.slice(0, count).map((node) => begin(node)));

        for (let round = 0; round < 3; round++) {
          const acquired = await settled(() => locks.acquire("name", { waitMs: 0 }));
          expect(acquired.error).to.equal(undefined);
          const lock = acquired.value;
          if (lock === undefined) throw new Error("no lock");
          const steps = {
            acquire: acquired,
            extend: await settled(() => lock.extend()),
            refusal: await settled(() => other.tryAcquire("name")),
            release: await settled(() => lock.release()),
          };
          expect(steps.refusal.value).to.equal(null);
          expect(steps.release.value).to.equal("released");
          for (const [step, { error, elapsedMs }] of Object.entries(steps)) {
            expect(error, step).to.equal(undefined);
            expect(elapsedMs, step).to.be.below(NODE_TIMEOUT_MS);
          }
        }
        if (end === undefined) return;
        await Promise.all(fleet.nodes.slice(0, count).map((node) => end(node)));
        await allNodes(locks);
        await noLockKeys(fleet.nodes);
      });
    }
  }

  it("are no holder's enemies: a lock taken before they fell silent is kept and renewed", async () => {
    await using fleet = await RedisFleet.start({ nodes: 5, links: true });
    await using locks = new LockManager(fleet.urls, brief(4_500));
    await allNodes(locks);
    const lock = await locks.acquire("kept");
    await at(fleet.nodes, 0).pause();
    await at(fleet.nodes, 4).kill();
    const endMs = performance.now() + 5_000;
    await eventually("it outlived its first lease", () => {
      lock.assertHeld();
      return performance.now() > endMs;
    });
    expect(await lock.release()).to.equal("released");
  });
});

describe("Silent nodes, a majority of five", () => {
  /** Those who do answer are to be in time on a busy machine, too. */
  const nodeTimeoutMs = 2_000;
  /** For timers that are late on a loaded machine. */
  const SCHEDULING_MS = 5_000;

  const faults = (votes: readonly NodeVote[]): (string | undefined)[] =>
    votes.filter(({ vote }) => vote === "fault").map(({ fault }) => fault);

  it("frozen: no quorum, within the node deadline, and who it was", async () => {
    await using fleet = await RedisFleet.start({ nodes: 5 });
    await using locks = new LockManager(fleet.urls, { nodeTimeoutMs });
    await allNodes(locks);
    const frozen = fleet.nodes.slice(0, 3);
    await Promise.all(frozen.map((node) => node.pause()));

    const first = await settled(() => locks.tryAcquire("name"));
    expect(first.error).to.be.instanceOf(QuorumUnreachableError);
    expect(first.elapsedMs).to.be.below(nodeTimeoutMs + SCHEDULING_MS);
    const { votes, message } = first.error as QuorumUnreachableError;
    expect(votes.map(({ node }) => node)).to.deep.equal(
      fleet.nodes.map(({ port }) => `127.0.0.1:${port}`),
    );
    expect(votes.map(({ vote }) => vote)).to.deep.equal([
      ...["fault", "fault", "fault"],
      ...["granted", "granted"],
    ]);
    expect(faults(votes)).to.deep.equal(["timeout", "timeout", "timeout"]);
    expect(message).to.match(/2\/5 granted, 3 timed out\. Check the nodes/);

    // By now it is known that they do not answer, and nobody waits for them.
    await eventually("the three are suspected", () =>
      locks.nodes.slice(0, 3).every(({ state }) => state === "suspected"),
    );
    const second = await rejectionWith(QuorumUnreachableError, locks.tryAcquire("name"));
    expect(faults(second.votes)).to.deep.equal(["suspected", "suspected", "suspected"]);

    await Promise.all(frozen.map((node) => node.resume()));
    const lock = await locks.acquire("name", { waitMs: 20_000 });
    expect(await lock.release()).to.equal("released");
    await noLockKeys(fleet.nodes);
  });

  it("killed: no quorum, and who it was, until they are back", async () => {
    await using fleet = await RedisFleet.start({ nodes: 5, server: { appendonly: true } });
    await using locks = new LockManager(fleet.urls, { nodeTimeoutMs, quarantine: "off" });
    await allNodes(locks);
    const killed = fleet.nodes.slice(1, 4);
    await Promise.all(killed.map((node) => node.kill()));

    const tried = await settled(() => locks.tryAcquire("name"));
    expect(tried.error).to.be.instanceOf(QuorumUnreachableError);
    expect(tried.elapsedMs).to.be.below(nodeTimeoutMs + SCHEDULING_MS);
    const { votes, code } = tried.error as QuorumUnreachableError;
    expect(code).to.equal("QUORATE_UNREACHABLE");
    expect(faults(votes)).to.deep.equal(["disconnected", "disconnected", "disconnected"]);

    const waiting = locks.acquire("name", { waitMs: 40_000 });
    await Promise.all(killed.map((node) => node.restart()));
    const lock = await waiting;
    await lock.release();
  });

  it("and waiting for it ends with the wait", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, links: true });
    await using locks = new LockManager(fleet.urls, { nodeTimeoutMs });
    await allNodes(locks);
    for (const node of fleet.nodes.slice(0, 2)) node.link.blackhole();
    const waited = await settled(() => locks.acquire("name", { waitMs: 700 }));
    expect(waited.error).to.be.instanceOf(QuorumUnreachableError);
    expect(waited.elapsedMs).to.be.within(690, 700 + 2 * nodeTimeoutMs + SCHEDULING_MS);
  });
});

describe("Contention and silence", () => {
  interface Mixture {
    readonly held: number;
    readonly silent: number;
    readonly outcome: "contended" | "unreachable" | "granted";
  }

  /** Of five nodes; the rest is free and answers. */
  const MIXTURES: readonly Mixture[] = [
    { held: 3, silent: 0, outcome: "contended" },
    { held: 3, silent: 1, outcome: "contended" },
    { held: 3, silent: 2, outcome: "contended" },
    { held: 2, silent: 0, outcome: "granted" },
    { held: 2, silent: 1, outcome: "unreachable" },
    { held: 2, silent: 3, outcome: "unreachable" },
    { held: 1, silent: 1, outcome: "granted" },
    { held: 1, silent: 2, outcome: "unreachable" },
    { held: 0, silent: 3, outcome: "unreachable" },
  ];

  for (const how of ["frozen", "killed"] as const) {
    for (const { held, silent, outcome } of MIXTURES) {
      it(`${held} held, ${silent} ${how}: ${outcome}`, async () => {
        await using fleet = await RedisFleet.start({ nodes: 5 });
        // Where it is waited for, other silent nodes would change nothing.
        const nodeTimeoutMs = outcome === "unreachable" ? 400 : 4_000;
        await using locks = new LockManager(fleet.urls, { nodeTimeoutMs });
        await allNodes(locks);
        const free = fleet.nodes.slice(held, 5 - silent);
        await holdByHand(fleet.nodes.slice(0, held), "name");
        const silenced = fleet.nodes.slice(5 - silent);
        await Promise.all(silenced.map((node) => (how === "frozen" ? node.pause() : node.kill())));

        const { value, error } = await settled(() => locks.acquire("name", { waitMs: 0 }));
        if (outcome === "granted") {
          expect(error).to.equal(undefined);
          expect(await value?.release()).to.equal("released");
        } else {
          const kind = outcome === "contended" ? LockContendedError : QuorumUnreachableError;
          expect(error).to.be.instanceOf(kind);
        }
        // Whatever was granted by a minority is given back.
        await noLockKeys(free);
        if (outcome !== "granted" && free.length > 0) {
          await eventually(
            "the acquire was executed",
            async () => (await fenceOf(at(free, 0), "name")) !== null,
          );
          await noLockKeys(free);
        }
        if (held > 0) {
          expect(await valueOf(at(fleet.nodes, 0), "lock:name")).to.equal("somebody-else");
        }
        // Closing waits for nodes that may still answer.
        if (how === "frozen") await Promise.all(silenced.map((node) => node.resume()));
      });
    }
  }
});
