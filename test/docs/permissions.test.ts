import { join } from "node:path";
import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { serverVersion } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { fencesOf } from "./markdown.js";
import { root } from "./project.js";

/** The one rule on the page, as `user <rule>` of a redis.conf wants it, for the server under test. */
async function ruleOnPage(): Promise<string> {
  const fences = fencesOf(join(root, "docs", "operate", "permissions.md"));
  const rule = fences.find(({ code }) => code.startsWith("user quorate "));
  if (rule === undefined) throw new Error("no rule on the page");
  const words = rule.code.replaceAll(/\s+/g, " ").replace("user ", "");
  return (await serverVersion()) < 7 ? words.replace(" +pexpiretime", "") : words;
}

describe("docs/operate/permissions.md", () => {
  let fleet: RedisFleet;

  afterEach(() => fleet.stop());

  async function start(rule: string): Promise<string> {
    fleet = await RedisFleet.start({ nodes: 1, server: { users: [rule], requirepass: "admin" } });
    return `redis://quorate:secret@127.0.0.1:${fleet.nodes[0]?.port}`;
  }

  it("names all permissions that are needed, over a reconnection and without the script", async () => {
    await using locks = new LockManager([await start(await ruleOnPage())], PATIENT);
    const [node] = fleet.nodes;
    const lock = await locks.acquire("a");
    await lock.extend();
    await node?.command("SCRIPT", "FLUSH");
    await lock.extend();
    const isBack = new Promise<void>((resolve) => {
      locks.on("node", ({ state }) => state === "ready" && resolve());
    });
    await node?.command("CLIENT", "KILL", "TYPE", "normal");
    await isBack;
    await lock.extend();
    expect(await lock.release()).to.equal("released");
    await using reader = await locks.acquire("a", { mode: "shared" });
    const writing = locks.acquire("a");
    const later = locks.request("a", { mode: "shared" }, () => "read");
    await reader.extend();
    await reader.release();
    await (await writing).release();
    expect(await later).to.equal("read");
    const semaphore = locks.semaphore("several", { permits: 2 });
    const permits = await Promise.all([semaphore.acquire(), semaphore.acquire()]);
    const another = semaphore.acquire();
    for (const permit of permits) await permit.extend();
    for (const permit of permits) expect(await permit.release()).to.equal("released");
    await (await another).release();
    const job = { owner: "job" };
    await using owned = await locks.acquire("b", job);
    await locks.request("b", job, () => owned.extend());
    const url = `redis://quorate:secret@127.0.0.1:${node?.port}`;
    await using hashes = new LockManager([url], { ...PATIENT, layout: "redisson" });
    await hashes.request("c", () => hashes.tryAcquire("c", { owner: "x" }));
    await using stamps = new LockManager([url], { ...PATIENT, layout: "timestamp" });
    await stamps.request("d", () => stamps.tryAcquire("d"));
    const log = (await node?.command("ACL", "LOG")) as unknown[][];
    // The one permission that the page names beside the rule.
    expect(log.map((entry) => entry[entry.indexOf("object") + 1])).to.deep.equal([
      "redisson_lock__channel:{lock:c}",
    ]);
  });

  it("leaves out the permission for another database: such a node is misconfigured", async () => {
    const url = await start(await ruleOnPage());
    await using locks = new LockManager([`${url}/3`], PATIENT);
    const error: unknown = await locks.acquire("a", { waitMs: 10_000 }).then(
      () => "a lock in some other database",
      (reason: unknown) => reason,
    );
    expect(error).to.have.property("code", "QUORATE_MISCONFIGURED");
  });
});
