import { expect } from "chai";
import * as redis5 from "redis-5";
import * as redis6 from "redis-6";
import { BatchWire } from "../../src/script/batch-encoder.js";
import type { NodeConfig } from "../../src/nodes/simulated-nodes.js";
import { configureNode, type RedisNode } from "../../src/redis/node-config.js";
import { copyOfNodeRedis } from "../../src/redis/node-redis-options.js";

const WIRE = new BatchWire({ fenceSlackUs: 1 });
const configure = (config: unknown) => configureNode(config as RedisNode, 2, 1_000, WIRE);

/** Anybody's clients are of the type of nodes. */
const TYPED: readonly NodeConfig[] = [
  redis5.createClient(),
  redis6.createClient(),
  { client: redis6.createClient(), durable: true },
];

const PACKAGES = [
  ["node-redis 5", redis5],
  ["node-redis 6", redis6],
] as unknown as readonly (readonly [string, typeof redis6])[];

for (const [what, redis] of PACKAGES) {
  describe(`configureNode: clients of ${what}`, () => {
    const client = (options: object) => redis.createClient(options);

    for (const { options, expected } of [
      { options: {}, expected: {} },
      { options: { url: "redis://a" }, expected: { host: "a" } },
      { options: { url: "redis://[::1]:7001" }, expected: { host: "::1", port: 7_001 } },
      {
        options: { url: "redis://user:p%40ss@a:7001/3" },
        expected: { host: "a", port: 7_001, username: "user", password: "p@ss", db: 3 },
      },
      {
        options: { url: "rediss://:pass@a", socket: { tls: true, ca: "CA", servername: "b" } },
        expected: { host: "a", password: "pass", tls: { ca: "CA", servername: "b" } },
      },
      {
        options: { socket: { host: "a", port: 7_001, family: 6 }, username: "u", password: "p" },
        expected: { host: "a", port: 7_001, family: 6, username: "u", password: "p" },
      },
      {
        options: { socket: { path: "/run/redis.sock", tls: false }, database: 7 },
        expected: { path: "/run/redis.sock", db: 7 },
      },
      {
        what: "what only it does with a connection",
        options: {
          name: "app",
          RESP: 3,
          commandsQueueMaxLength: 5,
          disableOfflineQueue: true,
          readonly: true,
          pingInterval: 1_000,
          maintNotifications: "disabled",
          socket: {
            ...{ host: "a", tls: true, keepAlive: false, noDelay: true, connectTimeout: 1 },
            ...{ socketTimeout: 9, reconnectStrategy: false, rejectUnauthorized: false },
          },
        },
        expected: { host: "a", tls: { rejectUnauthorized: false } },
      },
    ]) {
      it(`copies of ${JSON.stringify(options)} where the server is and how to get in`, () => {
        const given = client(options);
        expect(() => configure(given)).to.not.throw();
        expect(() => configure({ client: given })).to.not.throw();
        expect(copyOfNodeRedis(given.options ?? {})).to.deep.equal(expected);
        expect(given.isOpen).to.equal(false);
      });
    }

    it("are called by where they connect to", () => {
      expect(configure(client({ url: "redis://d:7004" })).transport.name).to.equal("d:7004");
      expect(configure(client({})).transport.name).to.equal("localhost:6379");
    });

    const async = { type: "async-credentials-provider", credentials: async () => ({}) };
    const streaming = { type: "streaming-credentials-provider", subscribe: async () => [] };
    for (const { name, options, message } of [
      {
        name: "a provider of credentials",
        options: { url: "redis://a", credentialsProvider: async },
        message:
          /`nodes\[2\]` is a client of node-redis with the option `credentialsProvider`, which Quorate cannot copy/,
      },
      {
        name: "a provider that streams, beside a password",
        options: { password: "p", credentialsProvider: streaming },
        message: /option `credentialsProvider`/,
      },
      {
        name: "a socket of its own",
        options: { socket: { tls: true, socket: {} } },
        message: /option `socket\.socket`/,
      },
      {
        name: "a way to look up names",
        options: { socket: { host: "a", lookup: () => {} } },
        message: /option `socket\.lookup`/,
      },
      {
        name: "an authority for a connection without TLS",
        options: { socket: { host: "a", ca: "CA" } },
        message: /option `socket\.ca`/,
      },
      {
        name: "an option that is new",
        options: { proxy: "socks5://b" },
        message: /option `proxy`.*`\{ options: \{\.\.\.\} \}` of ioredis/,
      },
      {
        name: "a key prefix",
        options: { keyPrefix: "app:" },
        message:
          /`nodes\[2\]` has the node-redis option `keyPrefix` "app:"; give it to the LockManager/,
      },
    ]) {
      it(`with ${name} are refused, naming it`, () => {
        const { credentialsProvider, ...plain } = options as Record<string, unknown>;
        const given = client(plain);
        // Not by the constructor: it would subscribe.
        Object.assign(given.options ?? {}, {
          ...(credentialsProvider ? { credentialsProvider } : {}),
        });
        expect(() => configure(given)).to.throw(TypeError, message);
      });
    }

    for (const [given, message] of [
      [
        redis.createCluster({ rootNodes: [{ url: "redis://a:1" }] }),
        /`nodes\[2\]` is a client of node-redis for a Cluster, .*give a `Cluster` of ioredis/,
      ],
      [
        redis.createSentinel({ name: "m", sentinelRootNodes: [{ host: "a", port: 1 }] }),
        /`nodes\[2\]` is a client of node-redis for Sentinel, .*sentinels: \[\.\.\.\], name/,
      ],
      [
        redis.createClientPool({ url: "redis://a:1" }),
        /`nodes\[2\]` is a client of node-redis for a pool, .*give a single client/,
      ],
    ] as const) {
      it(`are refused for several servers: ${message.source}`, () => {
        expect(() => configure(given)).to.throw(TypeError, message);
        expect(() => configure({ client: given })).to.throw(TypeError, message);
      });
    }
  });
}

describe("configureNode: clients of others", () => {
  it("have the type of nodes, where they can be", () => {
    for (const node of TYPED) expect(() => configure(node)).to.not.throw();
  });

  it("refuses GLIDE by name, and all others", () => {
    // As a client of GLIDE looks from outside.
    const glide = { customCommand: () => {}, exec: () => {}, getStatistics: () => {} };
    for (const given of [glide, { client: glide }]) {
      expect(() => configure(given)).to.throw(
        TypeError,
        /`nodes\[2\]` is a client of GLIDE, .*as a URL/,
      );
    }
    for (const client of [{ duplicate: () => {} }, { sendCommand: () => {} }, 5, null]) {
      expect(() => configure({ client })).to.throw(
        TypeError,
        /`nodes\[2\]` is no client of ioredis, iovalkey or node-redis/,
      );
    }
  });
});
