import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { DoctorReport } from "../../../src/cli/doctor/report.js";
import { LockManager } from "../../../src/index.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { callCli } from "../../support/cli.js";
import { expectSchema } from "../../support/cli-schema.js";
import {
  APART,
  DENIED_PASSWORD,
  hostOf,
  NODE_TIMEOUT_MS,
  startFaultyFleet,
} from "../../support/doctor-fleet.js";
import { examined } from "../../support/examined.js";
import { at, noLockKeys } from "../../support/nodes.js";

/** All keys of all servers, with what they hold. */
async function contentOf(fleet: RedisFleet): Promise<unknown> {
  return Promise.all(
    fleet.nodes.map(async (node) => {
      const keys = ((await node.command("KEYS", "*")) as string[]).toSorted();
      return Promise.all(keys.map(async (key) => [key, await node.command("DUMP", key)]));
    }),
  );
}

/** What the user of docs/operate/permissions.md may do, each by the words that a finding names it with. */
const RULES: Readonly<Record<string, "every" | "some" | "speed">> = {
  ...Object.fromEntries(
    [
      ...["eval", "evalsha", "client|id", "client|kill", "client|list", "client|setname"],
      ...["info", "time", "hget", "hset", "hmget"],
      ...["get", "mget", "set", "del", "pttl", "pexpire", "exists"],
    ].map((command) => [command, "every" as const]),
  ),
  ...{ zadd: "some", zrem: "some", zrange: "some", zremrangebyscore: "some" },
  ...{ zscore: "some", hgetall: "some", hdel: "some", hlen: "some", type: "some" },
  ...{ publish: "speed", subscribe: "speed", "pubsub|numsub": "speed", pexpiretime: "speed" },
};

describe("quorate doctor", () => {
  it("is silent about a healthy fleet, and leaves nothing there", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, server: { extraArgs: [...APART] } });
    const urls = fleet.nodes.map(({ port }, index) => `redis://${hostOf(index)}:${port}`);
    const env = { QUORATE_NODES: urls.join(",") };
    // Other limits than that of this machine's moods.
    const args = ["--node-timeout", "9s", "--strict"];
    const unused = await examined(urls);
    expect(unused.findings).to.deep.equal([]);
    expect(await contentOf(fleet)).to.deep.equal([[], [], []]);
    // Which the doctor is not told: what is on record counts.
    const locks = new LockManager(urls, { maxTtlMs: 45_000 });
    await locks.ready({ all: true });
    await locks.request("name", () => {});
    await locks.close();
    await noLockKeys(fleet.nodes);
    const before = await contentOf(fleet);
    const { code, stdout, stderr } = await callCli(["doctor", ...args, "--json"], env);
    const report = expectSchema("doctor", stdout) as DoctorReport;
    expect(report.findings).to.deep.equal([]);
    expect(report.quorum).to.deep.equal({ nodeCount: 3, size: 2, votes: 3 });
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
    expect(await contentOf(fleet)).to.deep.equal(before);
  });

  it("finds every fault of a fleet that has them all, and shows no password", async () => {
    await using fleet = await startFaultyFleet();
    const dir = mkdtempSync(join(tmpdir(), "quorate-doctor-"));
    try {
      const config = join(dir, "all.mjs");
      const settings = `nodeTimeoutMs: ${NODE_TIMEOUT_MS}, maxTtlMs: 60_000, nodes: [${fleet.nodes.join(",\n")}]`;
      writeFileSync(config, `export default { ${settings} };`);
      const { code, stdout, stderr } = await callCli(["doctor", "--config", config, "--json"]);
      expect(code).to.equal(78);
      expect(stdout + stderr).to.not.include(DENIED_PASSWORD);
      const { nodes, findings } = expectSchema("doctor", stdout) as DoctorReport;
      const found = Object.fromEntries(
        fleet.names.map((name, index) => {
          const { node, roundTripMs } = at(nodes, index);
          // A busy machine makes any of them slow, as the report itself shows then.
          const isBusy = (roundTripMs?.max ?? 0) > NODE_TIMEOUT_MS / 4 && name !== "slow";
          const own = findings.filter((each) => {
            return each.node === node && !(isBusy && each.code === "slow");
          });
          return [name, own.map(({ severity, code: what }) => `${severity} ${what}`).toSorted()];
        }),
      );
      const expected = Object.entries(fleet.found).map(([name, all]) => [name, all.toSorted()]);
      expect(found).to.deep.equal(Object.fromEntries(expected));
    } finally {
      rmSync(dir, { recursive: true });
    }
  }).timeout(120_000);

  it("names each permission that is missing, and none to the user of the documentation", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const node = at(fleet.nodes, 0);
    const isKnown =
      Number(/redis_version:(\d+)/.exec(String(await node.command("INFO")))?.[1]) >= 7;
    const rules = Object.keys(RULES).filter((command) => isKnown || command !== "pexpiretime");
    const urls = [`redis://locker:${DENIED_PASSWORD}@127.0.0.1:${node.port}`];
    const keys = ["~lock:*", "~quorate:*", "&quorate:inbox:*"];
    const allow = async (commands: readonly string[]): Promise<unknown> =>
      node.command(
        ...["ACL", "SETUSER", "locker", "RESET", "resetchannels", "ON", `>${DENIED_PASSWORD}`],
        ...[...keys, ...commands.map((command) => `+${command}`)],
      );
    await allow(rules);
    const { findings } = await examined(urls);
    expect(findings.map(({ code }) => code)).to.deep.equal(["few-nodes"]);
    for (const missing of rules) {
      await allow(rules.filter((command) => command !== missing));
      const found = (await examined(urls)).findings.filter(({ code }) => code !== "few-nodes");
      const what = `without ${missing}: ${JSON.stringify(found)}`;
      expect(found, what).to.have.length.above(0);
      const { severity, code, change } = at(found, 0);
      expect(severity, what).to.equal(RULES[missing] === "every" ? "error" : "warning");
      expect(found.map(({ change: each }) => each).join(" "), what).to.include(`+${missing}`);
      if (RULES[missing] === "speed") expect(code, what).to.equal("lock-slower");
      expect(change, what).to.not.include(DENIED_PASSWORD);
      expect(await node.command("KEYS", "lock:*"), what).to.deep.equal([]);
    }
  }).timeout(120_000);
});
