import { expect } from "chai";
import { ForeignKeyError, LockManager, MisconfiguredError } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import {
  allHold,
  allNodes,
  at,
  noLockKeys,
  nodeState,
  queueSize,
  serverVersion,
} from "../support/nodes.js";
import { brief } from "../support/brief.js";
import { eventually, rejectionWith, renewed } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

/** All that a user has to be allowed: what the two scripts call, and how they are called. */
const COMMANDS = [
  ...["eval", "evalsha", "client|id", "client|kill", "client|list", "client|setname"],
  ...["info", "time", "hget", "hset", "hmget"],
  ...["get", "mget", "set", "del", "pttl", "pexpire", "type"],
  ...["exists", "zadd", "zrem", "publish", "subscribe"],
  ...["zrange", "zscore", "zremrangebyscore"],
  ...["hgetall", "hdel", "hlen", "pexpiretime"],
];
/** Of them, those that servers before Redis 7 do not know: a rule that names one is refused there. */
const COMMANDS_OF_7 = ["pexpiretime"];
const KEYS = ["&quorate:inbox:*", "~lock:*", "~quorate:*"];
const OPTIONS = { ttlMs: 9_000, nodeTimeoutMs: 4_000, maxTtlMs: 20_000 };
const WITH_MARGIN = { ...OPTIONS, clockStepMs: 1_000 };

async function allow(
  fleet: RedisFleet,
  commands: readonly string[],
  keys: readonly string[] = KEYS,
): Promise<string[]> {
  const isKnown = (await serverVersion()) >= 7;
  // Before Redis 7 a new user may use all channels.
  const rules = [
    "RESET",
    "resetchannels",
    "ON",
    ">secret",
    ...keys,
    ...commands
      .filter((command) => isKnown || !COMMANDS_OF_7.includes(command))
      .map((command) => `+${command}`),
  ];
  await Promise.all(fleet.nodes.map((node) => node.command("ACL", "SETUSER", "locker", ...rules)));
  return fleet.nodes.map(({ port }) => `redis://locker:secret@127.0.0.1:${port}`);
}

describe("A user with the least permissions", function () {
  this.timeout(60_000);

  it("can do all there is to do", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, links: true });
    const urls = await allow(fleet, COMMANDS);
    await using locks = new LockManager(urls, OPTIONS);
    await using other = new LockManager(urls, { ...OPTIONS, retry: { maxDelayMs: 60_000 } });
    await locks.ready();
    const lock = await locks.acquire("name");
    expect(await other.tryAcquire("name")).to.equal(null);
    await lock.extend();
    // Long enough for renewals; with other scripts gone, and over new connections.
    await renewed(lock);
    await Promise.all(fleet.nodes.map((node) => node.command("SCRIPT", "FLUSH")));
    await renewed(lock);
    await at(fleet.nodes, 0).command("CLIENT", "KILL", "USER", "locker");
    await lock.extend();
    await allNodes(locks);
    // Who waits is woken: by itself it would look far too late.
    const waiting = other.acquire("name", { waitMs: 60_000 });
    await eventually("it stands in the queue", async () => {
      return (await queueSize(at(fleet.nodes, 2), "name")) === 1;
    });
    expect(await lock.release()).to.equal("released");
    expect(await (await waiting).release()).to.equal("released");
    // Fences that are apart take the seal step.
    await at(fleet.nodes, 1).command("SET", "quorate:fence:{lock:name}", "9000000000000000");
    for (let count = 0; count < 3; count++) {
      const next = await other.acquire("name");
      expect(await next.release()).to.equal("released");
    }
    // A look, a lock that goes on in another process, and one that is ended by force and not healed.
    const given = await locks.acquire("given");
    const adopted = await other.adopt(given.handOver());
    await allHold(fleet.nodes, "given");
    expect((await locks.inspect("given")).holders).to.have.length(1);
    expect((await locks.forceRelease("given")).isQuorate).to.equal(true);
    await at(fleet.nodes, 0).command("SET", "lock:given", ownerIdOf(adopted), "PX", OPTIONS.ttlMs);
    await at(fleet.nodes, 1).command("SET", "lock:given", ownerIdOf(adopted), "PX", OPTIONS.ttlMs);
    await adopted.extend();
    await eventually("it was told", () => !adopted.isHeld);
    await Promise.all(fleet.nodes.map((node) => node.command("HSET", "lock:hash", "a", "b")));
    const foreign = await rejectionWith(ForeignKeyError, locks.acquire("hash", { waitMs: 0 }));
    expect(foreign.message).to.include("(hash)");
    await Promise.all(fleet.nodes.map((node) => node.command("DEL", "lock:hash")));
    // A node that forgot is met and quarantined.
    await at(fleet.nodes, 2).flush();
    await other.acquire("another", { waitMs: 0 }).then((held) => held.release());
    await nodeState(other, 2, "quarantined");
    await noLockKeys(fleet.nodes);
  });

  it("leaves nothing in the server's list of what was denied", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    await using locks = new LockManager(await allow(fleet, COMMANDS), WITH_MARGIN);
    await locks.ready();
    const lock = await locks.acquire("name");
    expect(await locks.tryAcquire("name"), "which asks for the end of its key").to.equal(null);
    await lock.release();
    expect(await at(fleet.nodes, 0).command("ACL", "LOG")).to.deep.equal([]);
  });

  /** Without one command: what `ready` rejects with. */
  async function misconfiguredWithout(missing: string): Promise<string> {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const commands = COMMANDS.filter((command) => command !== missing);
    await using locks = new LockManager(await allow(fleet, commands), OPTIONS);
    locks.on("warning", () => {});
    const error = await rejectionWith(MisconfiguredError, locks.ready());
    expect(error.nodes).to.deep.equal(locks.nodes);
    return error.message;
  }

  for (const missing of [
    ...[
      "eval",
      "client|id",
      "client|kill",
      "client|list",
      "client|setname",
      "info",
      "time",
      "hset",
      "hmget",
    ],
    ...["hget", "get", "mget", "set", "del", "pttl", "pexpire", "exists"],
  ]) {
    it(`is misconfigured from the start without ${missing}, and told to add it`, async () => {
      expect(await misconfiguredWithout(missing)).to.include(`+${missing}`);
    });
  }

  it("takes over what has expired, and nothing before, without pexpiretime", async () => {
    // Redis 6 does without it.
    const isDenied = (await serverVersion()) >= 7;
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const commands = COMMANDS.filter((command) => command !== "pexpiretime");
    const urls = await allow(fleet, commands);
    const [ttlMs, clockStepMs] = [900, 1_000];
    await using locks = new LockManager(urls, { ...brief(ttlMs), clockStepMs, maxTtlMs: 5_000 });
    await locks.ready();
    const fromMs = performance.now();
    // Of a holder that crashed, with a margin that others need not wait for if they may ask when it ends.
    const crashed = `${ttlMs}~${"A".repeat(22)}`;
    await at(fleet.nodes, 0).command("SET", "lock:name", crashed, "PX", ttlMs + clockStepMs);
    const next = await locks.acquire("name");
    expect(performance.now() - fromMs).to.be.at.least(ttlMs + (isDenied ? clockStepMs : 0));
    await next.release();
  });

  it("is misconfigured without evalsha, which Redis tells no script of before version 7", async () => {
    if ((await serverVersion()) >= 7) {
      expect(await misconfiguredWithout("evalsha")).to.include("+evalsha");
      return;
    }
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const commands = COMMANDS.filter((command) => command !== "evalsha");
    await using locks = new LockManager(await allow(fleet, commands), OPTIONS);
    locks.on("warning", () => {});
    await locks.ready();
    await (await locks.acquire("name")).release();
    const error = await rejectionWith(MisconfiguredError, locks.acquire("other"));
    expect(error.message).to.include("+evalsha");
  });

  it("is misconfigured from the first lock on that misses a permission it had at the start", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const urls = await allow(fleet, COMMANDS);
    await using locks = new LockManager(urls, OPTIONS);
    locks.on("warning", () => {});
    await locks.ready();
    await allow(
      fleet,
      COMMANDS.filter((command) => command !== "set"),
    );
    const error = await rejectionWith(MisconfiguredError, locks.acquire("name"));
    expect(error.message).to.match(/add \+set|permissions\.md/);
  });

  it("is granted nothing where it may no longer see that a lock was ended", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const urls = await allow(fleet, COMMANDS);
    await using locks = new LockManager(urls, OPTIONS);
    locks.on("warning", () => {});
    await (await locks.acquire("name")).release();
    await using operator = new LockManager(fleet.urls, OPTIONS);
    await operator.acquire("name");
    expect((await operator.forceRelease("name")).isQuorate).to.equal(true);
    await allow(
      fleet,
      COMMANDS.filter((command) => command !== "zscore"),
    );
    const error = await rejectionWith(MisconfiguredError, locks.acquire("other", { waitMs: 0 }));
    expect(error.message).to.match(/add \+zscore|permissions\.md/);
  });

  it("E2: is refused a name that it may not lock, while all else goes on", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    const keys = ["&quorate:inbox:*", "~lock:app:*", "~quorate:*"];
    await using locks = new LockManager(await allow(fleet, COMMANDS, keys), OPTIONS);
    await locks.ready({ all: true });
    const states: string[] = [];
    locks.on("node", ({ state }) => states.push(state));
    locks.on("warning", ({ message }) => states.push(message));
    const lock = await locks.acquire("app:a");
    for (let round = 0; round < 3; round++) {
      const [refused, granted] = await Promise.all([
        rejectionWith(MisconfiguredError, locks.acquire("other")),
        locks.acquire("app:b"),
        rejectionWith(MisconfiguredError, locks.acquire(["app:c", "other"])),
        lock.extend(),
      ]);
      expect(refused.message).to.include("NOPERM");
      expect(await granted.release()).to.equal("released");
    }
    expect(await lock.release()).to.equal("released");
    expect(states).to.deep.equal([]);
    await noLockKeys(fleet.nodes);
  });

  it("is found to be misconfigured at the start without its keys", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    await using locks = new LockManager(await allow(fleet, COMMANDS, ["~other:*"]), OPTIONS);
    locks.on("warning", () => {});
    const error = await rejectionWith(MisconfiguredError, locks.ready());
    expect(error.message).to.include("~quorate:*");
  });
});
