import { expect } from "chai";
import * as fc from "fast-check";
import { Cluster, Redis } from "ioredis";
import { Redis as Redis5 } from "ioredis-5";
import { QuorateError, RedisFence, StaleTokenError } from "../../src/fencing/index.js";
import { RedisProcess } from "../../src/testing/index.js";
import { startCluster } from "../support/cluster.js";
import { expectFenced, plannedWrites } from "../support/fenced-writes.js";
import { rejectionOf, rejectionWith } from "../support/settle.js";

const T = 1_790_000_000_000_000;
const grant = (fencingToken: number, name = "invoice:42") => ({ name, fencingToken });

const isAccepted = async (write: Promise<unknown>): Promise<boolean> => {
  const error = await write.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error !== undefined) expect(error).to.be.instanceOf(StaleTokenError);
  return error === undefined;
};

interface Setup {
  readonly server: RedisProcess;
  readonly clients: (Redis | Redis5 | Cluster)[];
}

const single = (): Promise<RedisProcess> => RedisProcess.start();
const KINDS: Readonly<Record<string, () => Promise<Setup>>> = {
  "ioredis 6": async () => {
    const server = await single();
    return { server, clients: [1, 2, 3].map(() => new Redis(server.port, "127.0.0.1")) };
  },
  "ioredis 5": async () => {
    const server = await single();
    return { server, clients: [1, 2, 3].map(() => new Redis5(server.port, "127.0.0.1")) };
  },
  "a client with a keyPrefix": async () => {
    const server = await single();
    const options = { host: "127.0.0.1", port: server.port, keyPrefix: "app:" };
    return { server, clients: [new Redis(options), new Redis(options)] };
  },
  "a Cluster": async () => {
    const server = await startCluster();
    const hosts = [{ host: "127.0.0.1", port: server.port }];
    return { server, clients: [new Cluster(hosts), new Cluster(hosts)] };
  },
};

for (const [kind, setUp] of Object.entries(KINDS)) {
  describe(`A fence in Redis, with ${kind}`, () => {
    let server: RedisProcess;
    let clients: (Redis | Redis5 | Cluster)[];
    let client: Redis | Redis5 | Cluster;

    before(async () => {
      ({ server, clients } = await setUp());
      client = clients[0] ?? expect.fail("no client");
      await Promise.all(clients.map((one) => one.ping()));
    });
    after(async () => {
      for (const one of clients ?? []) one.disconnect();
      await server?.stop();
    });
    beforeEach(() => client.flushdb());

    it("takes equal and larger tokens, and turns smaller ones away untouched", async () => {
      const fence = new RedisFence(client);
      expect(await fence.run(grant(T), ["SET", "invoice:42", "a"])).to.deep.equal(["OK"]);
      expect(await fence.run(grant(T), ["APPEND", "invoice:42", "b"])).to.deep.equal([2]);
      await fence.run(grant(T + 1), ["APPEND", "invoice:42", "c"]);
      const late = fence.run(grant(T), ["SET", "invoice:42", "late"]);
      const error = await rejectionWith(StaleTokenError, late);
      expect(error).to.be.instanceOf(QuorateError);
      expect(error).to.include({ code: "QUORATE_STALE_TOKEN", lockName: "invoice:42" });
      expect(error).to.include({ fencingToken: T, fence: T + 1 });
      expect(await client.get("invoice:42")).to.equal("abc");
    });

    it("accepts tokens that never decrease, whoever writes in whatever order", async () => {
      const fences = clients.map((one) => new RedisFence(one));
      await fc.assert(
        fc.asyncProperty(plannedWrites(clients.length), async (writes) => {
          await client.flushdb();
          await expectFenced(
            writes,
            ({ token, client: index }) =>
              isAccepted(
                fences[index]?.run(grant(token), ["RPUSH", "log:{invoice:42}", token]) ??
                  expect.fail(),
              ),
            async () => (await client.lrange("log:{invoice:42}", 0, -1)).map(Number),
          );
        }),
        { numRuns: 40 },
      );
    });
  });
}

describe("A fence on a Cluster", () => {
  it("says which keys go with its own", async () => {
    await using server = await startCluster();
    const client = new Cluster([{ host: "127.0.0.1", port: server.port }]);
    const fence = new RedisFence(client);
    for (const [name, key, tag] of [
      ["a}b", "a}b", "{a}"],
      ["invoice:42", "order:7", "{invoice:42}"],
    ] as const) {
      const error = await rejectionWith(RangeError, fence.run(grant(T, name), ["SET", key, "1"]));
      expect(error.message).to.equal(
        `\`key\` of each command must contain "${tag}" on a Cluster, got ["${key}"]`,
      );
      expect(await fence.run(grant(T, name), ["SET", `${tag}${key}`, "1"])).to.deep.equal(["OK"]);
    }
    const error = await rejectionWith(RangeError, fence.run(grant(T, "}{a"), ["SET", "}{a", "1"]));
    expect(error.message).to.equal('`name` has braces that form no hash tag, for a Cluster: "}{a"');
    client.disconnect();
  });
});

describe("A fence in Redis", () => {
  let server: RedisProcess;
  let client: Redis;

  before(async () => {
    server = await RedisProcess.start();
    client = new Redis(server.port, "127.0.0.1");
  });
  after(async () => {
    client.disconnect();
    await server.stop();
  });
  beforeEach(() => client.flushdb());

  it("runs several commands in one step, with the replies of each", async () => {
    const fence = new RedisFence(client);
    const replies = await fence.run(
      grant(T),
      ["GET", "none"],
      ["HSET", "h", "a", 1, "b", Buffer.from([0xff, 0x00])],
      ["INCRBY", "n", 5],
      ["HGET", "h", "a"],
      ["DEL", "h"],
    );
    expect(replies).to.deep.equal([null, 2, 5, "1", 1]);
  });

  it("takes binary values; they are read by the client, once the token is shown", async () => {
    const fence = new RedisFence(client);
    const bytes = Buffer.from([0xff, 0x00, 0x80]);
    await fence.run(grant(T), ["SET", "invoice:42", bytes]);
    const [text] = await fence.run(grant(T + 1), ["GET", "invoice:42"]);
    expect(text, "decoded").to.equal(bytes.toString());
    await fence.run(grant(T + 1));
    expect(await client.getBuffer("invoice:42")).to.deep.equal(bytes);
  });

  it("shuts earlier holders out by a read, too, and by no command at all", async () => {
    const fence = new RedisFence(client);
    expect(await fence.run(grant(T + 1), ["GET", "k"])).to.deep.equal([null]);
    await rejectionWith(StaleTokenError, fence.run(grant(T), ["SET", "k", "late"]));
    expect(await fence.run(grant(T + 2))).to.deep.equal([]);
    await rejectionWith(StaleTokenError, fence.run(grant(T + 1), ["SET", "k", "late"]));
    expect(await client.get("k")).to.equal(null);
  });

  it("keeps names apart, also those that differ in braces only", async () => {
    const fence = new RedisFence(client);
    for (const name of ["a", "{a}", "{a}b", "锁"]) await fence.run(grant(T + 9, name));
    for (const name of ["b", "{b}", "{a}c", "{a", "a}"]) await fence.run(grant(T, name));
  });

  it("tells all 16 digits apart", async () => {
    const fence = new RedisFence(client);
    for (const last of [Number.MAX_SAFE_INTEGER, T + 99]) {
      const name = `digits:${last}`;
      expect(await fence.lift(name, last)).to.equal(last);
      expect(await fence.lift(name, last - 1)).to.equal(last);
      expect(await client.get(`quorate:fenced:{${name}}`)).to.equal(String(last));
    }
  });

  it("works on when the server forgets its scripts", async () => {
    const fence = new RedisFence(client);
    for (let token = T; token < T + 5; token++) {
      void client.script("FLUSH");
      const both = [1, 2].map(() => fence.run(grant(token), ["INCR", "n"]));
      await Promise.all(both);
    }
    expect(await client.get("n")).to.equal("10");
  });

  it("keeps the fence for its retention after the last use, or for ever", async () => {
    const key = "quorate:fenced:{invoice:42}";
    await new RedisFence(client, { retentionMs: 5_000 }).run(grant(T));
    expect(await client.pttl(key)).to.be.within(1, 5_000);
    await new RedisFence(client).run(grant(T));
    expect(await client.pttl(key)).to.be.within(86_000_000, 86_400_000);
    await new RedisFence(client, { retentionMs: Number.POSITIVE_INFINITY }).run(grant(T));
    expect(await client.pttl(key)).to.equal(-1);
  });

  it("passes on the errors of commands, and takes no foreign key for a fence", async () => {
    const fence = new RedisFence(client);
    await client.rpush("list", 1);
    const wrong = await rejectionOf(fence.run(grant(T), ["INCR", "n"], ["GET", "list"]));
    expect(String(wrong)).to.include("WRONGTYPE");
    expect(await client.get("n"), "what was run before stays").to.equal("1");
    await client.set("quorate:fenced:{odd}", "text");
    const odd = await rejectionOf(fence.run(grant(T, "odd"), ["SET", "k", "v"]));
    expect(String(odd)).to.include("quorate:fenced:{odd} holds no fencing token");
    expect(await client.get("k")).to.equal(null);
  });

  it("lets nothing through that a full server could not keep the fence of", async () => {
    const fence = new RedisFence(client);
    await client.set("n", "1");
    await client.config("SET", "maxmemory", "1");
    const error = await rejectionOf(fence.run(grant(T), ["DEL", "n"]));
    await client.config("SET", "maxmemory", "0");
    expect(String(error)).to.include("OOM");
    expect(await client.get("n")).to.equal("1");
  });

  it("refuses what is no grant, no command and no option, and sends nothing", async () => {
    const fence = new RedisFence(client);
    const odd = [
      [
        () => fence.run(grant(0)),
        RangeError,
        "`fencingToken` must be an integer from 1 to 2^53 - 1, got 0",
      ],
      [() => fence.run(grant(1.5)), RangeError, "got 1.5"],
      [() => fence.run(grant(2 ** 53)), RangeError, "got 9007199254740992"],
      [() => fence.run(grant(Number.NaN)), RangeError, "got NaN"],
      [() => fence.run(grant("7" as never)), TypeError, 'must be a number, got "7"'],
      [() => fence.run({ name: "a", fencingToken: undefined }), TypeError, "no fencing token"],
      [() => fence.run(grant(T, "")), RangeError, "`name` must not be empty"],
      [() => fence.run(grant(T, "\ud800")), RangeError, "well-formed"],
      [() => fence.run(undefined as never), TypeError, "`grant`"],
      [() => fence.run(Promise.resolve(grant(T)) as never), TypeError, "got [object Promise]"],
      [() => fence.run(grant(T), "SET" as never), TypeError, '[command, key, ...], got "SET"'],
      [() => fence.run(grant(T), ["SET"] as never), TypeError, "`key` must be a string"],
      [() => fence.run(grant(T), ["SET", "k", {} as never]), TypeError, "`SET` takes strings"],
      [
        () => fence.run(grant(T), ["DEL", "k", ...Array.from({ length: 7_001 }, () => "k")]),
        RangeError,
        "at most 7000 arguments",
      ],
    ] as const;
    for (const [run, kind, message] of odd) {
      const error = await rejectionOf(run());
      expect(error, message).to.be.instanceOf(kind);
      expect(String(error)).to.include(message);
    }
    expect(await client.dbsize()).to.equal(0);
    expect(() => new RedisFence({} as never)).to.throw(TypeError, "`client`");
    expect(() => new RedisFence(client, { retentionMs: 0 })).to.throw(RangeError, "`retentionMs`");
    expect(() => new RedisFence(client, { ttl: 1 } as never)).to.throw(TypeError, "`ttl`");
  });

  it("runs a command with as many arguments as are allowed", async () => {
    const values = Array.from({ length: 7_000 }, (_, index) => index);
    const replies = await new RedisFence(client).run(grant(T), ["RPUSH", "l", ...values]);
    expect(replies).to.deep.equal([7_000]);
  });

  it("would be found out if it let everything through", async () => {
    const plan = [T + 1, T].map((token) => ({ token, isAfterAll: true, client: 0 }));
    const error = await rejectionOf(
      expectFenced(
        plan,
        async ({ token }) => (await client.rpush("log", token)) > 0,
        async () => (await client.lrange("log", 0, -1)).map(Number),
      ),
    );
    expect(String(error)).to.include("accepted tokens");
  });
});
