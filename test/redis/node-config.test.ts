import { expect } from "chai";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { Cluster, Redis, type RedisOptions } from "ioredis";
import { Redis as Redis5 } from "ioredis-5";
import { Cluster as ValkeyCluster, Redis as Valkey } from "iovalkey";
import { BatchWire } from "../../src/script/batch-encoder.js";
import {
  checkDatabases,
  clientsOf,
  configureNode,
  type ConfiguredNode,
  type RedisNode,
} from "../../src/redis/node-config.js";
import { FakeClient } from "../support/fake-client.js";
import { eventually } from "../support/settle.js";

const WIRE = new BatchWire({ fenceSlackUs: 1 });
const credentials = () => Promise.resolve({ username: "app", password: "token" });
const configure = (config: unknown) => configureNode(config as RedisNode, 2, 1_000, WIRE);

describe("configureNode: names", () => {
  for (const [config, name] of [
    ["redis://a:7001", "a:7001"],
    ["redis://a", "a:6379"],
    ["rediss://user:secret@a:7001/3", "a:7001"],
    ["valkey://a:7001", "a:7001"],
    ["REDIS://a:7001", "a:7001"],
    ["redis://[::1]:7001", "[::1]:7001"],
    [{ url: "redis://a:7001", durable: true }, "a:7001"],
    [{ options: { host: "b", port: 7_002 } }, "b:7002"],
    [{ url: "redis://a", options: { port: 7_002 } }, "a:7002"],
    [{ url: "redis://a:7001", options: { port: 7_002 } }, "a:7001"],
    [{ options: {} }, "localhost:6379"],
    [{ options: { path: "/run/redis.sock" } }, "/run/redis.sock"],
    [{ options: { sentinels: [{ host: "s", port: 1 }], name: "primary" } }, "sentinel primary"],
  ] as const) {
    it(`calls ${JSON.stringify(config)} ${name}`, () => {
      expect(configure(config).transport.name).to.equal(name);
    });
  }

  const AT_D = { host: "d", port: 7_004, lazyConnect: true };
  for (const [what, client] of [
    ["ioredis 6", new Redis(AT_D)],
    ["ioredis 5", new Redis5(AT_D)],
    ["iovalkey", new Valkey(AT_D)],
  ] as const) {
    it(`calls a client of ${what} by where it connects to`, () => {
      expect(configure(client).transport.name).to.equal("d:7004");
      expect(configure({ client }).transport.name).to.equal("d:7004");
      expect(client.status, "left alone").to.equal("wait");
    });
  }
});

describe("configureNode: kinds", () => {
  it("takes a durable node at its word only", () => {
    expect(configure("redis://a").isDurable).to.equal(false);
    expect(configure({ url: "redis://a", durable: true }).isDurable).to.equal(true);
  });

  it("accepts a server without a run id only by its option", () => {
    expect(configure("redis://a").isRunIdOptional).to.equal(false);
    expect(configure({ url: "redis://a", durable: true }).isRunIdOptional).to.equal(false);
    expect(configure({ url: "redis://a", acceptNoRunId: true }).isRunIdOptional).to.equal(true);
  });

  for (const [what, Client] of [
    ["ioredis", Cluster],
    ["iovalkey", ValkeyCluster],
  ] as const) {
    it(`counts a Cluster of ${what} as one node, without connecting it`, () => {
      const cluster = new Client([{ host: "a", port: 1 }], { lazyConnect: true });
      const node = configure(cluster);
      expect(node).to.include({ isCluster: true, isDurable: false });
      expect(node.transport.name).to.equal("cluster 2");
      expect(cluster.status).to.equal("wait");
    });
  }
});

describe("configureNode: bad arguments", () => {
  const CASES: readonly { config: unknown; message: RegExp; what?: string }[] = [
    { config: 5, message: /`nodes\[2\]` must be a URL, a client of ioredis, .*got 5/ },
    { config: null, message: /`nodes\[2\]` .*got null/ },
    {
      config: {},
      message: /`nodes\[2\]` must have a `url`, a `client`, `options` or a `transport`/,
    },
    {
      config: { url: "redis://a", durable: "yes" },
      message: /`nodes\[2\]\.durable` must be a boolean, got "yes"/,
    },
    {
      config: { url: "redis://a", acceptNoRunId: 1 },
      message: /`nodes\[2\]\.acceptNoRunId` must be a boolean, got 1/,
    },
    {
      config: { url: "redis://a", credentials: "token" },
      message: /`nodes\[2\]\.credentials` must be a function, got "token"/,
    },
    {
      config: { url: "redis://:secret@a", credentials },
      message: /`nodes\[2\]` has `credentials` and a password in its url; give one of them/,
    },
    {
      config: { url: "redis://app@a", credentials },
      message: /`nodes\[2\]` has `credentials` and a user name in its url/,
    },
    {
      config: { options: { host: "a", password: "secret" }, credentials },
      message: /`nodes\[2\]` has `credentials` and a password in its options/,
    },
    {
      what: "credentials and a client with a password",
      config: { client: new Redis({ lazyConnect: true, password: "secret" }), credentials },
      message: /`nodes\[2\]` has `credentials` and a password in its client/,
    },
    {
      what: "credentials and a client of a Cluster with a password",
      config: {
        client: new Cluster([], { lazyConnect: true, redisOptions: { password: "secret" } }),
        credentials,
      },
      message: /`nodes\[2\]` has `credentials` and a password in its client/,
    },
    {
      what: "credentials and a transport",
      config: { transport: { name: "a", connect: () => {} }, credentials },
      message: /`nodes\[2\]` has `credentials` and a `transport`, which authenticates its own/,
    },
    { config: { url: 5 }, message: /`nodes\[2\]\.url` must be a string, got 5/ },
    { config: { options: "a" }, message: /`nodes\[2\]\.options` must be an object, got "a"/ },
    {
      config: { options: { host: {} } },
      message: /`nodes\[2\]\.options\.host` must be a string, got \[object Object\]/,
    },
    // Otherwise the node would be named like that.
    {
      config: { options: { host: "me:secret@a" } },
      message: /`nodes\[2\]` has the invalid host "\*\*\*@a"; give a URL as \{ url \}/,
    },
    {
      what: "a client with a URL as host",
      config: new Redis({ lazyConnect: true, host: "redis://:secret@a" }),
      message: /`nodes\[2\]` has the invalid host "redis:\/\/\*\*\*@a"; give a URL as \{ url \}/,
    },
    { config: { url: ["me:secret@a"] }, message: /must be a string, got \["\*\*\*@a"\]/ },
    { config: { options: "me:secret@a" }, message: /must be an object, got "\*\*\*@a"/ },
    {
      config: { options: { path: 7 } },
      message: /`nodes\[2\]\.options\.path` must be a string, got 7/,
    },
    // Otherwise ioredis would throw them when it connects, or use another number.
    {
      config: { options: { sentinels: [{ host: "a", port: 1 }] } },
      message: /`nodes\[2\]\.options` has `sentinels` and no `name`, by which they know the master/,
    },
    {
      config: { options: { sentinels: [], name: "a" } },
      message: /`nodes\[2\]\.options\.sentinels` must be an array of \{ host, port \}, got \[\]/,
    },
    {
      config: { options: { host: "a", db: Number.NaN } },
      message: /`nodes\[2\]\.options\.db` must be a number, got NaN/,
    },
    {
      config: { options: { host: "a", port: "redis" } },
      message: /`nodes\[2\]\.options\.port` must be a number, got "redis"/,
    },
    {
      config: { url: "redis://a", durabel: true },
      message: /unknown option `nodes\[2\]\.durabel`: did you mean `nodes\[2\]\.durable`\?/,
    },
    {
      config: { url: "redis://a", tls: {} },
      message: /unknown option `nodes\[2\]\.tls`; .*\{ options: \{ tls: \.\.\. \} \}/,
    },
    {
      config: { url: "redis://a", password: "secret" },
      message: /unknown option `nodes\[2\]\.password`; .*\{ options: \{ password: \.\.\. \} \}/,
    },
    {
      config: { host: "a", port: 7_001 },
      message: /unknown option `nodes\[2\]\.host`; .*\{ options: \{ host: \.\.\. \} \}/,
    },
    {
      what: "an object of another library that has its client",
      config: new (class Adapter {
        client = new Redis({ lazyConnect: true });
        timeout = 5_000;
      })(),
      message: /`nodes\[2\]` must be a URL, a client .*, got an instance of Adapter$/,
    },
    {
      config: { options: { hostt: "a" } },
      message:
        /unknown option `nodes\[2\]\.options\.hostt`: did you mean `nodes\[2\]\.options\.host`\?/,
    },
    {
      config: { url: "redis://a", options: { sentinel: [] } },
      message: /`nodes\[2\]\.options\.sentinel`: did you mean `nodes\[2\]\.options\.sentinels`\?/,
    },
    {
      what: "a client and a URL",
      config: { url: "redis://a", client: new Redis({ lazyConnect: true }) },
      message: /`nodes\[2\]` must have a `url` or a `client`, not both/,
    },
    {
      what: "a transport and a URL",
      config: { url: "redis://a", transport: { name: "a", connect: () => {} } },
      message: /`nodes\[2\]` must have a `transport` alone, without url, client or options/,
    },
    {
      what: "a transport that cannot connect",
      config: { transport: { name: "a" } },
      message: /`nodes\[2\]\.transport` must be an object with `name` and `connect`, got/,
    },
    {
      what: "a client of something else",
      config: { client: { duplicate: () => {} } },
      message: /`nodes\[2\]` is no client of ioredis, iovalkey or node-redis/,
    },
    {
      what: "an option that only iovalkey has",
      config: new Valkey({ lazyConnect: true, sharded: "fast" } as object),
      message: /`nodes\[2\]` is a client with the option `sharded`, which .*cannot copy/,
    },
    {
      what: "such an option of a Cluster's members",
      config: new Cluster([{ host: "a", port: 1 }], {
        lazyConnect: true,
        redisOptions: { sharded: "fast" } as object,
      }),
      message: /option `sharded`/,
    },
  ];
  for (const { what, config, message } of CASES) {
    it(`refuses ${what ?? JSON.stringify(config)}, naming what is wrong`, () => {
      expect(() => configure(config)).to.throw(TypeError, message);
    });
  }

  it("refuses a key prefix of ioredis, wherever it stands: it would lock other keys", () => {
    const keyPrefix = "app:";
    const client = new Redis5({ host: "a", lazyConnect: true, keyPrefix });
    const cluster = new Cluster([{ host: "a", port: 1 }], {
      lazyConnect: true,
      redisOptions: { keyPrefix },
    });
    for (const config of [
      { url: "redis://a", options: { keyPrefix } },
      { options: { host: "a", keyPrefix } },
      { client: new Redis({ lazyConnect: true }), options: { keyPrefix } },
      client,
      cluster,
    ]) {
      expect(() => configure(config)).to.throw(TypeError, /`nodes\[2\]` .*`keyPrefix` "app:"/);
    }
    expect(() => configure({ client, options: { keyPrefix: "" } })).to.not.throw();
  });
});

describe("configureNode: deadlines", () => {
  it("leave it to the handshake's to say at which stage a server fell silent", async () => {
    const server = createServer((socket) => socket.on("error", () => {}).resume());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { transport } = configureNode(`rediss://127.0.0.1:${port}`, 0, 300, WIRE);
    const told: string[] = [];
    const connection = transport.connect({
      onOpen: () => told.push("open"),
      onClose: ({ message }) => told.push(message),
    });
    // The connection itself has five times as long.
    await setTimeout(700);
    expect(told).to.deep.equal([]);
    await eventually(
      "TLS is begun",
      () => connection.stage?.includes("TLS is not answered") === true,
    );
    connection.close();
    await eventually("it is closed", () => told.length === 1);
    server.close();
  });
});

describe("configureNode: TLS", () => {
  const tlsOf = (url: string, tls: unknown): unknown => {
    const clients = clientsOf({ url, options: { tls } } as RedisNode, 0, 1_000);
    return clients.isCluster ? undefined : clients.open().options.tls;
  };

  it("of a rediss:// URL is configured by options, and not taken away by empty ones", () => {
    expect(tlsOf("rediss://a", { ca: "x" })).to.deep.equal({ ca: "x" });
    for (const none of [undefined, false, null]) {
      expect(tlsOf("rediss://a", none), String(none)).to.deep.equal({});
      expect(Boolean(tlsOf("redis://a", none)), String(none)).to.equal(false);
    }
  });
});

describe("configureNode: clients", () => {
  const NO_EVENTS = { onOpen: () => {}, onClose: () => {} };

  it("reads their options again at each connection, and never uses them otherwise", () => {
    const client = new FakeClient(0, "refuses");
    const { transport } = configure(client);
    const connect = (): void => transport.connect(NO_EVENTS).close();
    expect(client.openCount, "not before it connects").to.equal(0);
    connect();
    expect(client.openCount).to.equal(1);
    const renewed = new FakeClient(1, "refuses");
    Object.assign(client.options, renewed.options);
    connect();
    expect([client.openCount, renewed.openCount]).to.deep.equal([1, 1]);
  });
});

describe("configureNode: numbers", () => {
  it("may be texts, as of the environment, and have to be in range", () => {
    const optionsOf = (options: object): RedisOptions => {
      const clients = clientsOf({ options }, 2, 1_000);
      return clients.isCluster ? {} : clients.open().options;
    };
    expect(optionsOf({ port: "7001", db: "2" })).to.include({ port: 7_001, db: 2 });
    for (const port of [-1, 65_536, 1.5]) {
      expect(() => optionsOf({ port })).to.throw(RangeError, "`nodes[2].options.port` must be");
    }
  });
});

describe("clientsOf", () => {
  const optionsOf = (config: unknown): RedisOptions => {
    const clients = clientsOf(config as RedisNode, 0, 1_000);
    const client = clients.open();
    return clients.isCluster ? ((client as Cluster).options.redisOptions ?? {}) : client.options;
  };
  const sentinels = [{ host: "s", port: 1 }];

  it("gives a silent Sentinel only the time of a handshake, so that the next one is asked", () => {
    expect(optionsOf("redis://a").connectTimeout).to.equal(5_000);
    expect(optionsOf({ options: { sentinels, name: "a" } }).connectTimeout).to.equal(1_000);
  });

  it("asks other Sentinels than a client does for the master that the client names", () => {
    const client = new Redis({ sentinels, name: "a", lazyConnect: true });
    const others = [{ host: "t", port: 2 }];
    const options = { sentinels: others };
    expect(optionsOf({ client, options })).to.deep.include({ sentinels: others, name: "a" });
  });

  it("lets options beside a client overrule its own, also those of a Cluster's members", () => {
    const own = { username: "own", password: "own", family: 6 };
    const beside = { username: "beside", password: "beside" };
    const client = new Redis({ ...own, lazyConnect: true });
    const cluster = new Cluster([{ host: "a", port: 1 }], { redisOptions: own, lazyConnect: true });
    for (const each of [client, cluster]) {
      expect(optionsOf(each)).to.include(own);
      expect(optionsOf({ client: each, options: beside })).to.include({ ...beside, family: 6 });
    }
  });
});

describe("checkDatabases", () => {
  it("wants one database for all servers without a run id", () => {
    const node = (url: string, acceptNoRunId: boolean): ConfiguredNode =>
      configureNode({ url, acceptNoRunId }, 0, 1_000, WIRE);
    for (const [urls, isFine] of [
      [["redis://a", "redis://b"], true],
      [["redis://a/3", "redis://b/3"], true],
      [["redis://a", "redis://a/1"], false],
      [["redis://a/2", "redis://b"], false],
    ] as const) {
      const other = node("redis://c/7", false);
      const nodes = [other, ...urls.map((url) => node(url, true))];
      const check = (): void => checkDatabases(nodes);
      if (isFine) expect(check).not.to.throw();
      else
        expect(check).to.throw(TypeError, /`nodes\[2\]` is on database \d and `nodes\[1\]` on \d/);
      expect(() => checkDatabases([other, ...urls.map((url) => node(url, false))])).not.to.throw();
    }
  });
});
