import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { LockManager, type NodeConfig, type QuorateWarning } from "../../src/index.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import { RedisFleet } from "../../src/testing/index.js";
import { AlteredServer } from "../support/altered-server.js";
import { callCli, PATIENTLY } from "../support/cli.js";
import { allNodes, at, nodeState, noLockKeys } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually } from "../support/settle.js";

/** Servers that do not name their run, one by each number of a real server. */
async function servers(fleet: RedisFleet, ...of: number[]): Promise<AlteredServers> {
  const all = of.map((index) => AlteredServer.start(at(fleet.nodes, index).port, "noRunId"));
  return new AlteredServers(await Promise.all(all));
}

class AlteredServers implements AsyncDisposable {
  readonly #servers: readonly AlteredServer[];

  constructor(all: readonly AlteredServer[]) {
    this.#servers = all;
  }

  get nodes(): readonly NodeConfig[] {
    return this.#servers.map(({ url }) => ({ url, acceptNoRunId: true }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server[Symbol.asyncDispose]();
  }
}

describe("Servers without a run id that are accepted", () => {
  it("are nodes like others, told apart by their records", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using altered = await servers(fleet, 0, 1, 2);
    await using locks = new LockManager(altered.nodes, PATIENT);
    const warnings: QuorateWarning[] = [];
    locks.on("warning", (warning) => warnings.push(warning));
    await allNodes(locks);
    await using other = new LockManager(altered.nodes, PATIENT);
    await allNodes(other);
    const lock = await locks.acquire("name");
    expect(await other.tryAcquire("name")).to.equal(null);
    expect(await lock.release()).to.equal("released");
    expect(warnings).to.deep.equal([]);
    await noLockKeys(fleet.nodes);
  });

  for (const isNew of [true, false]) {
    it(`do not vote twice if they are one server, ${isNew ? "new" : "used before"}`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 2 });
      if (!isNew) {
        await using altered = await servers(fleet, 0, 1);
        await using earlier = new LockManager(altered.nodes, PATIENT);
        earlier.on("warning", () => {});
        await allNodes(earlier);
      }
      await using altered = await servers(fleet, 0, 1, 1);
      await using locks = new LockManager(altered.nodes, { ...PATIENT, maxTtlMs: 30_000 });
      locks.on("warning", () => {});
      await eventually("one of the two is refused", async () => {
        return locks.nodes.filter(({ state }) => state === "misconfigured").length === 1;
      });
      const refused = locks.nodes.findIndex(({ state }) => state === "misconfigured");
      expect(refused).to.be.above(0);
      expect(at(locks.nodes, refused).detail).to.match(
        /the same server as `nodes\[[12]\]`; list each server once/,
      );
    });
  }

  it("are quarantined when they lose their data", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using altered = await servers(fleet, 0, 1, 2);
    await using locks = new LockManager(altered.nodes, PATIENT);
    locks.on("warning", () => {});
    await allNodes(locks);
    const id = await at(fleet.nodes, 1).command("HGET", RECORD_KEY, "id");
    await at(fleet.nodes, 1).command("FLUSHALL");
    await (await locks.acquire("name")).release();
    await nodeState(locks, 1, "quarantined");
    expect(await at(fleet.nodes, 1).command("HGET", RECORD_KEY, "id")).not.to.equal(id);
  });

  it("are accepted by the config file of the command line, and refused without it", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    await using altered = await servers(fleet, 0);
    const directory = mkdtempSync(join(tmpdir(), "quorate-"));
    try {
      const file = join(directory, "config.json");
      writeFileSync(file, JSON.stringify({ nodes: altered.nodes, quarantine: "auto" }));
      const exec = ["exec", "name", ...PATIENTLY, "--wait", "10s"];
      const accepted = await callCli([...exec, "--config", file, "--", "true"]);
      expect(accepted, accepted.stderr).to.include({ code: 0 });
      const url = (at(altered.nodes, 0) as { url: string }).url;
      const refused = await callCli([...exec, "--nodes", url, "--", "true"]);
      expect(refused).to.include({ code: 78 });
      expect(refused.stderr).to.include("acceptNoRunId: true");
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
