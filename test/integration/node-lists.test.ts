import { expect } from "chai";
import { setTimeout } from "node:timers/promises";
import {
  LockManager,
  MisconfiguredError,
  type LockManagerOptions,
  type NodeConfig,
  type QuorateWarning,
} from "../../src/index.js";
import { memoryNodes } from "../../src/memory/index.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import { RedisFleet } from "../../src/testing/index.js";
import { callCli, PATIENTLY, runCli } from "../support/cli.js";
import { allNodes, at, type Commanded } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually, rejectionWith } from "../support/settle.js";

const LIST = "nodes:lock:";

/** A node that is new, or has lost its data, votes soon. */
const BRIEF = { ttlMs: 2_000, maxTtlMs: 2_000, nodeTimeoutMs: 1_000, waitMs: 30_000 } as const;

function warningsOf(locks: LockManager): QuorateWarning[] {
  const warnings: QuorateWarning[] = [];
  locks.on("warning", (warning) => warnings.push(warning));
  return warnings;
}

const lists = (nodes: readonly Pick<Commanded, "command">[]): Promise<unknown[]> =>
  Promise.all(nodes.map((node) => node.command("HGET", RECORD_KEY, LIST)));

/** Nodes of a deployment whose clients have left their list. */
async function listed(
  fleet: RedisFleet,
  count: number,
  options: LockManagerOptions = BRIEF,
): Promise<void> {
  await using locks = new LockManager(fleet.urls.slice(0, count), options);
  const warnings = warningsOf(locks);
  await allNodes(locks);
  const nodes = fleet.nodes.slice(0, count);
  await eventually("the list on all", async () =>
    (await lists(nodes)).every((text) => text !== null),
  );
  expect(warnings.filter(({ code }) => code === "QUORATE_NODE_LIST_MISMATCH")).to.deep.equal([]);
}

/** Of the list that is on record: both lists, and the way out. */
const BOTH = /use 127\.0\.0\.1:\d+, 127.* \(on record\), 127\.0\.0\.1:\d+.* here/;

describe("A list of nodes that differs", () => {
  for (const [what, pick] of [
    ["one of three", [0]],
    ["two of three", [0, 1]],
    ["as many, with another", [0, 1, 3]],
    ["one more", [0, 1, 2, 3]],
  ] as const) {
    it(`is a warning with both, and keeps ready({ all: true }) from resolving: ${what}`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 4 });
      await listed(fleet, 3);
      const urls = pick.map((index) => at(fleet.urls, index));
      await using locks = new LockManager(urls, BRIEF);
      const warnings = warningsOf(locks);
      const error = await rejectionWith(
        MisconfiguredError,
        locks.ready({ all: true, timeoutMs: 30_000 }),
      );
      expect(error.listDifference).to.match(BOTH);
      expect(error.message).to.match(/^clients have other nodes: .*use 127\.0\.0\.1:\d+, 127/);
      const found = warnings.find(({ code }) => code === "QUORATE_NODE_LIST_MISMATCH");
      expect(found?.message).to.match(BOTH).and.include("give all clients the same nodes");
    });

    for (const command of ["exec", "elect"]) {
      it(`ends ${command} with 78, both lists and the way out: ${what}`, async () => {
        await using fleet = await RedisFleet.start({ nodes: 4 });
        await listed(fleet, 3, PATIENT);
        const urls = pick.map((index) => at(fleet.urls, index)).join(",");
        const args = [command, "name", ...PATIENTLY, "--nodes", urls];
        const refused = await runCli([...args, "--", "echo", "ran"]);
        expect(refused, refused.stderr).to.include({ code: 78, stdout: "" });
        expect(refused.stderr).to.match(BOTH).and.include("--nodes-changed");
        // A warning, not of each node again, and the error.
        expect(refused.stderr.match(/on record/g)).to.have.lengthOf(2);
        const changed = await runCli([...args, "--nodes-changed", "--", "true"]);
        expect(changed, changed.stderr).to.include({ code: 0 });
        // The last may run before the new node has answered.
        if (pick[2] !== 3 || pick.length > 3) expect(changed.stderr).to.match(BOTH);
      });
    }
  }

  it("is none for other names of the same servers, nor for another prefix", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await listed(fleet, 3, PATIENT);
    const urls = fleet.urls.map((url) => url.replace("127.0.0.1", "localhost"));
    await using locks = new LockManager(urls.toReversed(), PATIENT);
    await using other = new LockManager(fleet.urls.slice(0, 1), {
      ...PATIENT,
      keyPrefix: "other:",
    });
    const warnings = [warningsOf(locks), warningsOf(other)];
    await locks.ready({ all: true });
    await other.ready({ all: true });
    expect(warnings).to.deep.equal([[], []]);
  });

  it("is none after a node lost everything, whether somebody knows its id or only its name, be it of another prefix", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await listed(fleet, 3);
    const node = at(fleet.nodes, 1);
    const id = await node.command("HGET", RECORD_KEY, "nodeId");
    await node.command("FLUSHALL");
    {
      await using first = new LockManager(fleet.urls, { ...BRIEF, keyPrefix: "another:" });
      await first.ready({ all: true, timeoutMs: 60_000 });
      await eventually(
        "its id",
        async () => (await node.command("HGET", RECORD_KEY, "nodeId")) === id,
      );
    }
    for (const isKnown of [true, false]) {
      await using running = isKnown ? new LockManager(fleet.urls, BRIEF) : undefined;
      if (running !== undefined) await running.ready({ all: true });
      await node.command("FLUSHALL");
      await using locks = new LockManager(fleet.urls, BRIEF);
      const warnings = warningsOf(locks);
      await locks.ready({ all: true, timeoutMs: 60_000 });
      await eventually("its id and the list", async () => (await lists([node]))[0] !== null);
      expect(await node.command("HGET", RECORD_KEY, "nodeId")).to.equal(id);
      expect(warnings).to.deep.equal([]);
    }
  });

  it("is nothing that commands leave behind which only look", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    const nodes = ["--nodes", fleet.urls.join(","), ...PATIENTLY];
    const record = (): Promise<unknown[]> =>
      Promise.all(fleet.nodes.map((node) => node.command("HGETALL", RECORD_KEY)));
    for (const command of [
      ["inspect", "name"],
      ["ls"],
      ["held", "name", "--token", "1"],
      ["doctor"],
    ]) {
      const { code, stderr } = await callCli([...command, ...nodes]);
      expect([0, 1, 78], `${command[0]}: ${stderr}`).to.include(code);
      expect(await record(), command[0]).to.deep.equal([[], [], []]);
    }
    await listed(fleet, 3);
    const before = await record();
    for (const command of [["inspect", "name"], ["ls"], ["held", "name", "--token", "1"]]) {
      await callCli([...command, "--nodes", at(fleet.urls, 0), ...PATIENTLY]);
      expect(await record(), command[0]).to.deep.equal(before);
    }
  });
});

/** Locks one name again and again, by managers of both lists, which must exclude each other. */
class Load {
  holds = 0;
  worst = 0;
  #inside = 0;
  #isOver = false;
  readonly #loops: Promise<void>[] = [];

  add(locks: LockManager): void {
    this.#loops.push(this.#run(locks));
  }

  async #run(locks: LockManager): Promise<void> {
    while (!this.#isOver) {
      const lock = await locks.acquire("name");
      this.worst = Math.max(this.worst, ++this.#inside);
      await setTimeout(2);
      this.#inside--;
      this.holds++;
      await lock.release();
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }
}

interface Place {
  readonly nodes: readonly NodeConfig[];
  readonly servers: readonly Pick<Commanded, "command">[];
  readonly stop: () => Promise<void>;
}

describe("Changing the nodes, as documented, under load", () => {
  const PLACES = {
    "on real servers": async (): Promise<Place> => {
      const fleet = await RedisFleet.start({ nodes: 4 });
      return { nodes: fleet.urls, servers: fleet.nodes, stop: () => fleet.stop() };
    },
    "in memory": async (): Promise<Place> => {
      const nodes = memoryNodes(4);
      return { nodes, servers: nodes, stop: async () => {} };
    },
  };
  for (const [where, start] of Object.entries(PLACES)) {
    it(`goes from one node to three with a stop, ${where}`, async () => {
      const { nodes, servers, stop } = await start();
      const [one, three] = [nodes.slice(0, 1), nodes.slice(0, 3)];
      try {
        let token = 0;
        {
          await using before = new LockManager(one, BRIEF);
          ({ fencingToken: token } = await before.acquire("name"));
        }
        await at(servers, 0).command("HDEL", RECORD_KEY, LIST, "nodeCount", "lastNodes");
        await using after = new LockManager(three, BRIEF);
        const warnings = warningsOf(after);
        await using lock = await after.acquire("name");
        expect(lock.fencingToken).to.be.above(token);
        await after.ready({ all: true, timeoutMs: 60_000 });
        expect(warnings.map(({ code }) => code)).to.not.include("QUORATE_NODE_LIST_MISMATCH");
        await eventually("the new list on all", async () =>
          (await lists(servers.slice(0, 3))).every((text) => String(text).split(" ").length === 3),
        );
      } finally {
        await stop();
      }
    });

    it(`adds a node and removes one, ${where}`, async () => {
      const { nodes, servers, stop } = await start();
      try {
        const [three, four] = [nodes.slice(0, 3), nodes.slice(0, 4)];
        for (const [before, after] of [
          [three, four],
          [four, three],
        ] as const) {
          await using older = new LockManager(before, BRIEF);
          await older.ready({ all: true, timeoutMs: 60_000 });
          const load = new Load();
          load.add(older);
          await using newer = new LockManager(after, BRIEF);
          const warnings = warningsOf(newer);
          await newer.ready();
          load.add(newer);
          const wanted = load.holds + 30;
          await eventually("both have locked for a while", async () => load.holds >= wanted);
          expect(warnings.map(({ code }) => code)).to.include("QUORATE_NODE_LIST_MISMATCH");
          await load.end();
          expect(load.worst).to.equal(1);
          await older.close();
          await setTimeout(BRIEF.maxTtlMs);
          for (const server of servers.slice(0, 3)) await server.command("HDEL", RECORD_KEY, LIST);
          if (after.length < before.length) await at(servers, 3).command("FLUSHALL");
          await using last = new LockManager(after, BRIEF);
          const told = warningsOf(last);
          await last.ready({ all: true, timeoutMs: 60_000 });
          expect(told.filter(({ code }) => code === "QUORATE_NODE_LIST_MISMATCH")).to.deep.equal(
            [],
          );
          const listing = servers.slice(0, after.length);
          await eventually("the new list on all", async () =>
            (await lists(listing)).every((text) => String(text).split(" ").length === after.length),
          );
          const [floors, tops] = await Promise.all(
            ["floor", "top"].map((field) =>
              Promise.all(listing.map((node) => node.command("HGET", RECORD_KEY, field))),
            ),
          );
          // Nobody has locked since.
          const highest = Math.max(...(tops ?? []).map(Number));
          expect(floors?.map(Number)).to.deep.equal(listing.map(() => highest));
        }
      } finally {
        await stop();
      }
    });
  }
});
