import { spawnSync } from "node:child_process";
import { expect } from "chai";
import { Redis } from "ioredis";
import { createClient } from "redis-6";
import Redlock, { ExecutionError, Lock } from "../../../src/integrations/redlock/index.js";
import { RedisFleet, type FleetNode } from "../../../src/testing/index.js";
import { at } from "../../support/nodes.js";
import { shownError, withClients } from "../../support/redlocks.js";
import { eventually, rejectionWith } from "../../support/settle.js";

const OURS = new URL("../../../src/integrations/redlock/index.js", import.meta.url).href;

const ONCE = { retryCount: 0 };

/** What a program prints, and the signal that ended it, if it did not end by itself. */
function runProgram(program: string): [output: string, signal: string | null] {
  const { stdout, signal } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", program],
    {
      cwd: new URL(".", import.meta.url),
      timeout: 40_000,
      encoding: "utf8",
    },
  );
  return [stdout, signal];
}

/** Connections of ours, by the name that we give them. */
async function connectionCount(node: FleetNode): Promise<number> {
  const list = String(await node.command("CLIENT", "LIST"));
  return list.split("\n").filter((line) => line.includes("name=quorate")).length;
}

describe("the connections of quorate/redlock", () => {
  let fleet: RedisFleet;
  let node: FleetNode;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 1 });
    node = at(fleet.nodes, 0);
  });
  after(() => fleet.stop());

  it("are opened by the first operation, and one for all who give the same clients", async () => {
    await withClients(fleet.nodes, async (clients) => {
      const many = Array.from({ length: 20 }, () => new Redlock(clients));
      expect(await connectionCount(node)).to.equal(0);
      await Promise.all(many.map((redlock, at) => redlock.acquire([`shared ${at}`], 30_000)));
      // One that was given up before the server got to it is gone a moment later.
      await eventually("it is one", async () => (await connectionCount(node)) === 1);
      expect(at(clients, 0).listenerCount("end")).to.equal(1);
    });
  });

  it("leave nothing on the clients when they are closed, however often they are opened", async () => {
    const client = new Redis(node.url);
    const redlock = new Redlock([client]);
    const countOf = (): number => client.listenerCount("end");
    const before = countOf();
    for (let times = 0; times < 3; times++) {
      await (await redlock.acquire(["again"], 5_000 + times)).release();
      expect(countOf()).to.equal(before + 1);
      client.disconnect();
      await eventually("ours is closed", async () => (await connectionCount(node)) === 0);
      expect(countOf()).to.equal(before);
      await client.connect();
    }
    client.disconnect();
  });

  it("are closed when the clients have been, and opened when those are connected again", async () => {
    const client = new Redis(node.url);
    const redlock = new Redlock([client]);
    await (await redlock.acquire(["again"], 5_000)).release();
    client.disconnect();
    await eventually("ours is closed", async () => (await connectionCount(node)) === 0);
    const error = await rejectionWith(ExecutionError, redlock.acquire(["again"], 5_000));
    const [stats] = await Promise.all(error.attempts);
    expect([...(stats?.votesAgainst ?? [])].map(([voter, why]) => [voter, why.message]))
      .to.deep //
      .equal([[client, "Connection is closed."]]);
    await client.connect();
    await (await redlock.acquire(["again"], 5_000)).release();
    await redlock.quit();
    await eventually("ours is closed", async () => (await connectionCount(node)) === 0);
  });

  it("do not keep a process alive that has closed its clients, one of them while it reconnects", () => {
    const program = `
      import Redlock from "${OURS}";
      import { Redis } from "ioredis";
      const away = new Redis(1, { disconnectTimeout: 100 });
      const clients = [new Redis("${node.url}"), away, new Redis(2, { disconnectTimeout: 100 })];
      for (const client of clients) client.on("error", () => {});
      const redlock = new Redlock(clients, { retryCount: 1, retryDelay: 10 });
      await redlock.acquire(["a"], 500).catch(({ name }) => console.log(name));
      for (const client of clients) client.disconnect();
    `;
    expect(runProgram(program)).to.deep.equal(["ExecutionError\n", null]);
  });

  it("do not keep a process alive that has closed its clients behind a lock of using", () => {
    // Long before the lock that was released would have ended.
    const program = `
      import Redlock from "${OURS}";
      import { Redis } from "ioredis";
      const redlock = new Redlock([new Redis("${node.url}")]);
      console.log(await redlock.using(["a"], 60_000, async () => "result"));
      await redlock.quit();
    `;
    expect(runProgram(program)).to.deep.equal(["result\n", null]);
  });

  it("do not keep a process alive whose clients have given up, which may lock until then", () => {
    const program = `
      import { once } from "node:events";
      import Redlock from "${OURS}";
      import { Redis } from "ioredis";
      const client = new Redis("${node.url}", { retryStrategy: () => null });
      const redlock = new Redlock([client]);
      await (await redlock.acquire(["a"], 5_000)).release();
      const ended = once(client, "end");
      client.call("CLIENT", "KILL", "ID", await client.client("ID"), "SKIPME", "no").catch(() => {});
      await ended;
      await (await redlock.acquire(["a"], 5_000)).release();
      console.log("locked");
    `;
    expect(runProgram(program)).to.deep.equal(["locked\n", null]);
  });

  it("stay open under an operation though the clients have given up", async () => {
    const [link] = await fleet.linksFor("gave up");
    if (link === undefined) throw new Error("no link");
    const gaveUp = async ([client]: Redis[]): Promise<void> => {
      if (client === undefined) throw new Error("no client");
      await client.ping();
      const ended = new Promise((resolve) => client.once("end", resolve));
      await link.refuse();
      await ended;
      await link.heal();
      // It takes longer than from one look at the clients to the next.
      link.delay(150);
      const redlock = new Redlock([client]);
      await (await redlock.acquire(["slow"], 30_000)).release();
    };
    await withClients([link], gaveUp, { retryStrategy: () => null });
  });

  it("stay as they are for a lock that is longer than all before, which goes on record first", async () => {
    await withClients(fleet.nodes, async (clients) => {
      const redlock = new Redlock(clients);
      const idsOf = async (): Promise<(string | undefined)[]> =>
        [...String(await node.command("CLIENT", "LIST")).matchAll(/^id=(\d+).*name=quorate/gm)].map(
          ([, id]) => id,
        );
      const short = await redlock.acquire(["short"], 20_000);
      const ids = await idsOf();
      const long = await redlock.acquire(["long"], 3_600_000);
      const record = await node.command("HGETALL", "quorate:incarnation");
      expect(JSON.stringify(record)).to.include("3600000");
      expect(long.expiration - Date.now()).to.be.within(3_500_000, 3_600_000);
      await (await short.extend(20_000)).release();
      await long.release();
      // A client of the test before may have closed meanwhile.
      const last = await idsOf();
      expect(last).to.not.have.length(0);
      expect(ids).to.include.members(last);
    });
  });

  it("keep their record where a lock is released by its value, however long it lasts: no key is stored", async () => {
    await withClients(fleet.nodes, async (clients) => {
      const elsewhere = await new Redlock(clients).acquire(["elsewhere"], 20_000);
      await new Redlock(clients).acquire(["short"], 20_000);
      const longestOf = async (): Promise<unknown> =>
        node.command("HGET", "quorate:incarnation", "maxTtlMs");
      const before = await longestOf();
      const other = new Redlock(clients);
      const known = new Lock(
        other,
        elsewhere.resources,
        elsewhere.value,
        [],
        Date.now() + 90_000_000,
      );
      await other.release(known);
      expect(await longestOf()).to.equal(before);
      expect(await node.command("EXISTS", "elsewhere")).to.equal(0);
    });
  });

  it("serve everybody else while a lock that is longer than all before goes on record", async () => {
    await withClients(fleet.nodes, async (clients) => {
      const redlock = new Redlock(clients, ONCE);
      await (await redlock.acquire(["warm-up"], 20_000, { retryCount: 10 })).release();
      for (let [round, longMs] = [0, 7_200_000]; round < 5; round++) {
        const names = Array.from({ length: 8 }, (_, index) => `name ${index} of ${round}`);
        const held = await redlock.acquire(["held"], 20_000);
        const kept = await redlock.acquire(["kept"], 20_000);
        // As many of these are on their way as can be when the longer lock comes.
        const others = [redlock.acquire(names, 20_000), held.release(), kept.extend(20_000)];
        for (let turn = 0; turn < round; turn++) await Promise.resolve();
        const long = await redlock.acquire(["long"], (longMs += 1_000));
        await Promise.all(others);
        await long.release();
        expect(await node.command("EXISTS", "held", "long")).to.equal(0);
        await node.command("DEL", "kept");
      }
    });
  });

  const WRONG: readonly {
    readonly what: string;
    readonly make: () => unknown;
    readonly error: string;
  }[] = [
    {
      what: "what is no client",
      make: () => new Redlock(["redis://a"] as never),
      error: 'TypeError: `clients[0]` must be a client of ioredis, got "redis://a"',
    },
    {
      what: "clients with two prefixes",
      make: () => {
        const lazyConnect = true;
        return new Redlock([
          new Redis({ lazyConnect, keyPrefix: "a:" }),
          new Redis({ lazyConnect, keyPrefix: "b:" }),
        ]);
      },
      error: 'TypeError: `clients` must have one `keyPrefix`, got "a:", "b:"',
    },
    {
      what: "a client that is in no list",
      make: () => new Redlock(new Redis({ lazyConnect: true }) as never),
      error: "TypeError: `clients` must be a list of clients, got [object Object]",
    },
    {
      what: "a URL that is in no list",
      make: () => new Redlock("redis://a" as never),
      error: 'TypeError: `clients` must be a list of clients, got "redis://a"',
    },
    {
      what: "a URL without its scheme that is in no list",
      make: () => new Redlock("me:secret@a" as never),
      error: 'TypeError: `clients` must be a list of clients, got "***@a"',
    },
    {
      what: "a client of node-redis",
      make: () => new Redlock([createClient()] as never),
      error:
        "TypeError: `clients[0]` must be a client of ioredis, got one of node-redis, which only a LockManager takes",
    },
    {
      what: "a setting out of range",
      make: () => new Redlock([new Redis({ lazyConnect: true })], { retryCount: -2 }),
      error: "RangeError: `retryCount` must be at least -1, got -2",
    },
    {
      what: "a longest duration that no lock can have",
      make: () => new Redlock([new Redis({ lazyConnect: true })], { maxTtlMs: 5 }),
      error: "RangeError: `maxTtlMs` must be at least 10 ms, got 5",
    },
    {
      what: "a node setting of another type",
      make: () => new Redlock([new Redis({ lazyConnect: true })], { quarantine: false as never }),
      error: 'TypeError: `quarantine` must be a string, got false: "off" is meant',
    },
  ];

  for (const { what, make, error } of WRONG) {
    it(`are refused to ${what}`, () => {
      let thrown: unknown;
      try {
        make();
      } catch (caught) {
        thrown = caught;
      }
      expect(shownError(thrown)).to.equal(error);
    });
  }
});
