import { expect } from "chai";
import { Cluster, Redis } from "ioredis";
import { BatchWire } from "../../src/redis/batch-wire.js";
import { configureNode, type NodeConfig } from "../../src/redis/node-config.js";

const CONSTANTS = { fenceSlackUs: 1, fenceRetentionMs: 1 };
const WIRE = new BatchWire(CONSTANTS);
const configure = (config: unknown) =>
  configureNode(config as NodeConfig, 2, CONSTANTS, 1_000, WIRE);

/** A client of another copy of ioredis, which records what it is asked to copy itself with. */
function foreignClient(options: object = { host: "c", port: 7_003 }) {
  const overrides: Record<string, unknown>[] = [];
  const copy = { on: () => copy, connect: () => Promise.resolve() };
  const client = {
    isCluster: false,
    options,
    duplicate: (override: Record<string, unknown>) => {
      overrides.push(override);
      return copy;
    },
  };
  return { client, overrides };
}

const NO_EVENTS = { onOpen: () => {}, onClose: () => {} };

describe("configureNode: names", () => {
  for (const [config, name] of [
    ["redis://a:7001", "a:7001"],
    ["redis://a", "a:6379"],
    ["rediss://user:secret@a:7001/3", "a:7001"],
    [{ url: "redis://a:7001", durable: true }, "a:7001"],
    [{ options: { host: "b", port: 7_002 } }, "b:7002"],
    [{ options: {} }, "localhost:6379"],
    [{ options: { path: "/run/redis.sock" } }, "/run/redis.sock"],
    [{ options: { sentinels: [{ host: "s", port: 1 }], name: "primary" } }, "sentinel primary"],
  ] as const) {
    it(`calls ${JSON.stringify(config)} ${name}`, () => {
      expect(configure(config).transport.name).to.equal(name);
    });
  }

  it("calls a client by where it connects to", () => {
    const redis = new Redis({ host: "d", port: 7_004, lazyConnect: true });
    expect(configure(redis).transport.name).to.equal("d:7004");
    expect(configure({ client: redis }).transport.name).to.equal("d:7004");
    expect(redis.status, "left alone").to.equal("wait");
  });
});

describe("configureNode: kinds", () => {
  it("takes a durable node at its word only", () => {
    expect(configure("redis://a").isDurable).to.equal(false);
    expect(configure({ url: "redis://a", durable: true }).isDurable).to.equal(true);
  });

  it("counts a Cluster as one node, without connecting it", () => {
    const cluster = new Cluster([{ host: "a", port: 1 }], { lazyConnect: true });
    const node = configure(cluster);
    expect(node).to.include({ isCluster: true, isDurable: false });
    expect(node.transport.name).to.equal("cluster 2");
    expect(cluster.status).to.equal("wait");
  });
});

describe("configureNode: hardening", () => {
  const HARD = {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: false,
    lazyConnect: true,
  };

  it("lets a client copy itself, with everything off that could queue, repeat or resend", () => {
    const { client, overrides } = foreignClient({
      host: "c",
      enableOfflineQueue: true,
      maxRetriesPerRequest: 20,
      commandTimeout: 5,
      socketTimeout: 5,
    });
    const { transport } = configure(client);
    expect(overrides, "not before it connects").to.have.length(0);
    transport.connect(NO_EVENTS);
    transport.connect(NO_EVENTS);
    expect(overrides, "one copy a connection").to.have.length(2);
    expect(overrides[0]).to.deep.include({
      ...HARD,
      connectTimeout: 1_000,
      commandTimeout: undefined,
      socketTimeout: undefined,
    });
    const retry = overrides[0]?.["retryStrategy"] as () => unknown;
    expect(retry()).to.equal(null);
  });

  it("lets no option given beside a client undo it", () => {
    const { client, overrides } = foreignClient();
    const options = { enableOfflineQueue: true, commandTimeout: 5, username: "app" };
    configure({ client, options }).transport.connect(NO_EVENTS);
    expect(overrides[0]).to.deep.include({ ...HARD, commandTimeout: undefined, username: "app" });
  });
});

describe("configureNode: bad arguments", () => {
  for (const { config, message } of [
    { config: 5, message: /`nodes\[2\]` must be a URL, an ioredis client or an object, got 5/ },
    { config: null, message: /`nodes\[2\]` .*got null/ },
    { config: {}, message: /`nodes\[2\]` must have a `url`, a `client` or `options`/ },
    { config: "localhost:6379", message: /`nodes\[2\]` .*redis:\/\// },
    {
      config: "not a url",
      message: /`nodes\[2\]` must be a redis:\/\/ or rediss:\/\/ URL, got "not a url"/,
    },
    { config: "", message: /`nodes\[2\]`/ },
    { config: "http://a:6379", message: /`nodes\[2\]` .*got http:\/\// },
    {
      config: { url: "redis://a", durable: "yes" },
      message: /`nodes\[2\]\.durable` must be a boolean, got "yes"/,
    },
  ]) {
    it(`refuses ${JSON.stringify(config)} with the node and the value`, () => {
      expect(() => configure(config)).to.throw(TypeError, message);
    });
  }

  it("refuses a key prefix of ioredis, wherever it stands: it would lock other keys", () => {
    const keyPrefix = "app:";
    const cluster = new Cluster([{ host: "a", port: 1 }], {
      lazyConnect: true,
      redisOptions: { keyPrefix },
    });
    for (const config of [
      { url: "redis://a", options: { keyPrefix } },
      { options: { host: "a", keyPrefix } },
      foreignClient({ host: "c", keyPrefix }).client,
      { client: foreignClient().client, options: { keyPrefix } },
      new Redis({ host: "a", lazyConnect: true, keyPrefix }),
      cluster,
    ]) {
      expect(() => configure(config)).to.throw(TypeError, /`nodes\[2\]` .*`keyPrefix` "app:"/);
    }
    expect(() => configure(new Redis({ lazyConnect: true, keyPrefix: "" }))).to.not.throw();
  });

  it("does not show a password in what it throws", () => {
    expect(() => configure("http://user:secret@a"))
      .to.throw(TypeError)
      .with.property("message")
      .that.does.not.include("secret");
    expect(() => configure("redis://user:secret@a:port"))
      .to.throw(TypeError)
      .with.property("message")
      .that.does.not.include("secret");
  });
});
