/**
 * Every option that a client library's types have, with what becomes of it. The tables are typed by all versions that are
 * installed: an option that a new version adds does not compile here until it has been decided on.
 */
import { expect } from "chai";
import {
  Cluster as Cluster6,
  Redis as Redis6,
  type ClusterOptions,
  type RedisOptions,
} from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import type { ClusterOptions as ClusterOptions5, RedisOptions as RedisOptions5 } from "ioredis-5";
import { Cluster as ValkeyCluster, Redis as Valkey } from "iovalkey";
import type {
  ClusterOptions as ValkeyClusterOptions,
  RedisOptions as ValkeyOptions,
} from "iovalkey";
import * as redis5 from "redis-5";
import * as redis6 from "redis-6";
import { isRedisOption } from "../../src/redis/copied-options.js";
import { clientsOf, type RedisNode } from "../../src/redis/node-config.js";

/**
 * What becomes of an option that has this value. `copied`: our connections have the same value. `own`: it makes no
 * difference. `refused`: the node is, with the option's name.
 */
type Fate = readonly ["copied" | "own" | "refused", value: unknown];
type Fates<Options extends PropertyKey> = Readonly<Record<Options, Fate>>;

class Connector {
  connect(): never {
    throw new Error("not to be connected");
  }
  disconnect(): void {}
}

const five = (): number => 5;

const OF_A_SERVER: Fates<keyof (RedisOptions & RedisOptions5 & ValkeyOptions)> = {
  host: ["copied", "a"],
  port: ["copied", 7_001],
  path: ["copied", "/run/redis.sock"],
  family: ["copied", 6],
  tls: ["copied", { ca: "CA", servername: "b" }],
  username: ["copied", "user"],
  password: ["copied", "secret"],
  db: ["copied", 3],
  protocol: ["copied", 2],
  keepAlive: ["copied", 5_000],
  disconnectTimeout: ["copied", 1_234],
  Connector: ["copied", Connector],
  sentinels: ["copied", [{ host: "s", port: 26_380 }]],
  name: ["copied", "primary"],
  role: ["copied", "slave"],
  preferredSlaves: ["copied", [{ ip: "10.0.0.1", port: "7001", prio: 2 }]],
  natMap: ["copied", { "a:1": { host: "b", port: 2 } }],
  sentinelUsername: ["copied", "watcher"],
  sentinelPassword: ["copied", "watched"],
  sentinelTLS: ["copied", { ca: "SCA" }],
  enableTLSForSentinelMode: ["copied", true],
  sentinelReconnectStrategy: ["copied", five],
  sentinelCommandTimeout: ["copied", 777],
  sentinelMaxConnections: ["copied", 3],
  updateSentinels: ["copied", false],
  failoverDetector: ["copied", true],
  sentinelRetryStrategy: ["own", five],
  retryStrategy: ["own", five],
  reconnectOnError: ["own", five],
  maxRetriesPerRequest: ["own", 7],
  maxLoadingRetryTime: ["own", 7],
  autoResubscribe: ["own", true],
  autoResendUnfulfilledCommands: ["own", true],
  enableOfflineQueue: ["own", true],
  offlineQueue: ["own", false],
  commandQueue: ["own", false],
  enableReadyCheck: ["own", true],
  enableAutoPipelining: ["own", true],
  autoPipeliningIgnoredCommands: ["own", ["get"]],
  lazyConnect: ["own", false],
  connectTimeout: ["own", 123_456],
  commandTimeout: ["own", 7],
  socketTimeout: ["own", 7],
  blockingTimeout: ["own", 7],
  blockingTimeoutGrace: ["own", 7],
  noDelay: ["own", false],
  connectionName: ["own", "app"],
  clientInfoTag: ["own", "app"],
  disableClientInfo: ["own", false],
  readOnly: ["own", true],
  monitor: ["own", true],
  stringNumbers: ["own", true],
  replyMapping: ["own", "modern"],
  scripts: ["own", { mine: { lua: "return 1", numberOfKeys: 0 } }],
  himportFieldsets: ["own", []],
  showFriendlyErrorStack: ["own", true],
  familyFallback: ["own", { enabled: false }],
  keyPrefix: ["refused", "app:"],
};

const OF_A_CLUSTER: Fates<keyof (ClusterOptions & ClusterOptions5 & ValkeyClusterOptions)> = {
  // Its own options are those of a server.
  redisOptions: ["copied", {}],
  natMap: ["copied", { "a:1": { host: "b", port: 2 } }],
  dnsLookup: ["copied", five],
  useSRVRecords: ["copied", true],
  resolveSrv: ["copied", five],
  maxRedirections: ["copied", 7],
  retryDelayOnFailover: ["own", 77],
  retryDelayOnClusterDown: ["own", 78],
  retryDelayOnTryAgain: ["own", 79],
  retryDelayOnMoved: ["copied", 80],
  slotsRefreshTimeout: ["copied", 4_321],
  slotsRefreshInterval: ["copied", 54_321],
  clusterRetryStrategy: ["own", five],
  clusterNodeRetryStrategy: ["own", five],
  enableOfflineQueue: ["own", false],
  enableReadyCheck: ["own", false],
  enableAutoPipelining: ["own", true],
  autoPipeliningIgnoredCommands: ["own", ["get"]],
  lazyConnect: ["own", false],
  scaleReads: ["own", "all"],
  shardedSubscribers: ["own", true],
  scripts: ["own", { mine: { lua: "return 1", numberOfKeys: 0 } }],
  himportFieldsets: ["own", []],
  showFriendlyErrorStack: ["own", true],
  keyPrefix: ["refused", "app:"],
};

type Values = Readonly<Record<string, unknown>>;

/** With the options as the client has kept them; one that would connect at once is set afterwards. */
function given<Client extends { readonly options: object }>(
  create: (options: object) => Client,
  options: Values,
): Client {
  const client = create({ ...options, lazyConnect: true });
  if ("lazyConnect" in options) Object.assign(client.options, options);
  return client;
}

/** Of the client that connects to this node. */
function ours(node: unknown): Values {
  return clientsOf(node as RedisNode, 0, 1_000).open().options as unknown as Values;
}

/** Sentinels need the name of their master. */
const withName = (option: string, [, value]: Fate): Values => ({
  ...(option === "sentinels" && { name: "primary" }),
  [option]: value,
});

function expectFate(name: string, [fate, value]: Fate, options: () => Values): void {
  if (fate === "refused") expect(options, name).to.throw(TypeError, name);
  else if (fate === "copied") expect(options()[name], name).to.deep.equal(value);
  else expect(options()[name], name).to.not.deep.equal(value);
}

const OF_LIBRARIES = [
  ["ioredis 6", Redis6, Cluster6],
  ["ioredis 5", Redis5, Cluster5],
  ["iovalkey", Valkey, ValkeyCluster],
] as unknown as readonly (readonly [string, typeof Redis6, typeof Cluster6])[];

for (const [library, Redis, Cluster] of OF_LIBRARIES) {
  describe(`each option of a client of ${library}`, () => {
    const cluster = (options: Values): Cluster6 =>
      given((all) => new Cluster([{ host: "a", port: 7_001 }], all), options);

    it("of one server", () => {
      for (const [name, fate] of Object.entries<Fate>(OF_A_SERVER)) {
        const options = withName(name, fate);
        const client = given((all) => new Redis(all), options);
        expectFate(name, fate, () => ours(client));
        expectFate(name, fate, () => ours({ client }));
        expectFate(
          name,
          fate,
          () => ours(cluster({ redisOptions: options }))["redisOptions"] as Values,
        );
      }
    });

    it("of a Cluster", () => {
      for (const [name, fate] of Object.entries<Fate>(OF_A_CLUSTER)) {
        if (name === "redisOptions") continue;
        expectFate(name, fate, () => ours(cluster({ [name]: fate[1] })));
      }
    });
  });
}

describe("each option of ioredis beside or without a client", () => {
  it("is taken like a client's, except that one it does not have is refused", () => {
    for (const [name, fate] of Object.entries<Fate>(OF_A_SERVER)) {
      const options = withName(name, fate);
      const expected: Fate = isRedisOption(name) ? fate : ["refused", fate[1]];
      expectFate(name, expected, () => ours({ options }));
      const client = given((all) => new Redis6(all), {});
      expectFate(name, expected, () => ours({ client, options }));
    }
  });
});

type KeyOf<Union> = Union extends unknown ? keyof Union : never;
type OfNodeRedis = keyof redis5.RedisClientOptions | keyof redis6.RedisClientOptions;
type OfSocket = KeyOf<
  | NonNullable<redis5.RedisClientOptions["socket"]>
  | NonNullable<redis6.RedisClientOptions["socket"]>
>;

/** The same, where copied, with the options of ioredis that it comes to. */
type Translation = readonly [...Fate, as?: Values];

const OF_NODE_REDIS: Readonly<Record<OfNodeRedis, Translation>> = {
  url: [
    "copied",
    "redis://u:p@a:7001/3",
    { host: "a", port: 7_001, username: "u", password: "p", db: 3 },
  ],
  username: ["copied", "user", { username: "user" }],
  password: ["copied", "secret", { password: "secret" }],
  database: ["copied", 3, { db: 3 }],
  // Its own options follow.
  socket: ["copied", { host: "a" }, { host: "a" }],
  name: ["own", "app"],
  RESP: ["own", 3],
  modules: ["own", { mine: {} }],
  functions: ["own", { mine: {} }],
  scripts: ["own", { mine: {} }],
  unstableResp3: ["own", true],
  commandOptions: ["own", { timeout: 5 }],
  commandsQueueMaxLength: ["own", 5],
  disableOfflineQueue: ["own", true],
  readonly: ["own", true],
  pingInterval: ["own", 1_000],
  clientSideCache: ["own", { ttl: 5, maxEntries: 5, evictPolicy: "LRU" }],
  emitInvalidate: ["own", true],
  himportRegistry: ["own", {}],
  disableClientInfo: ["own", true],
  clientInfoTag: ["own", "app"],
  maintNotifications: ["own", "disabled"],
  maintEndpointType: ["own", "auto"],
  maintRelaxedCommandTimeout: ["own", 5],
  maintRelaxedSocketTimeout: ["own", 5],
  credentialsProvider: [
    "refused",
    { type: "async-credentials-provider", credentials: async () => ({ username: "u" }) },
  ],
  keyPrefix: ["refused", "app:"],
};

/** What a socket's option is without TLS, and with it; where both differ, it concerns TLS. */
const OF_A_SOCKET: Readonly<Record<Exclude<OfSocket, OfTls>, Translation>> = {
  host: ["copied", "a", { host: "a" }],
  port: ["copied", 7_001, { port: 7_001 }],
  path: ["copied", "/run/redis.sock", { path: "/run/redis.sock" }],
  family: ["copied", 6, { family: 6 }],
  tls: ["copied", true, { tls: {} }],
  connectTimeout: ["own", 5],
  reconnectStrategy: ["own", five],
  socketTimeout: ["own", 5],
  keepAlive: ["own", false],
  keepAliveInitialDelay: ["own", 5],
  noDelay: ["own", false],
  timeout: ["own", 5],
  socket: ["refused", {}],
};

/** Passed to `tls.connect` there and here. Without TLS, ioredis has no place for them. */
type OfTls = Exclude<
  OfSocket,
  | "connectTimeout"
  | "family"
  | "host"
  | "keepAlive"
  | "keepAliveInitialDelay"
  | "noDelay"
  | "path"
  | "port"
  | "reconnectStrategy"
  | "socket"
  | "socketTimeout"
  | "timeout"
  | "tls"
>;
const SAMPLES_FOR_TLS: Readonly<Record<OfTls, unknown>> = {
  ...{ ALPNCallback: five, ALPNProtocols: ["x"], SNICallback: five, allowHalfOpen: true },
  ...{ allowPartialTrustChain: true, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 5 },
  ...{ ca: "CA", cert: "CERT", checkServerIdentity: five, ciphers: "C", clientCertEngine: "E" },
  ...{ crl: "CRL", dhparam: "D", ecdhCurve: "auto", enableTrace: true, fd: 9, hints: 1 },
  ...{ honorCipherOrder: true, key: "KEY", localAddress: "10.0.0.1", localPort: 5, lookup: five },
  ...{ maxVersion: "TLSv1.3", minDHSize: 5, minVersion: "TLSv1.3", passphrase: "P", pfx: "PFX" },
  ...{ privateKeyEngine: "E", privateKeyIdentifier: "I", pskCallback: five, requestCert: true },
  ...{ rejectUnauthorized: true, secureContext: {}, secureOptions: 5, secureProtocol: "S" },
  ...{ servername: "b", session: "S", sessionIdContext: "S", sessionTimeout: 5, sigalgs: "S" },
  ...{ signal: new AbortController().signal, ticketKeys: "T" },
};

for (const [library, redis] of [
  ["node-redis 5", redis5],
  ["node-redis 6", redis6],
] as unknown as readonly (readonly [string, typeof redis6])[]) {
  describe(`each option of a client of ${library}`, () => {
    const fromClient = (options: object): Values => {
      return ours(redis.createClient(options));
    };

    /** Beside those that are given in any case. Creating a client takes milliseconds. */
    const expectTranslations = (
      translations: Readonly<Record<string, Translation>>,
      options: (more: object) => Values,
    ): void => {
      // Two are functions made anew for each.
      const without = (all: Values): object => ({
        ...all,
        ...{ retryStrategy: 0, sentinelRetryStrategy: 0 },
      });
      const plain = without(options({}));
      for (const [name, [fate, value, as = {}]] of Object.entries(translations)) {
        const more = { [name]: value };
        if (fate === "refused") expect(() => options(more), name).to.throw(TypeError, name);
        else expect(without(options(more)), name).to.deep.equal({ ...plain, ...as });
      }
    };

    it("of the client", () =>
      expectTranslations(OF_NODE_REDIS, (more) => fromClient({ RESP: 3, ...more })));

    it("of its socket", () => expectTranslations(OF_A_SOCKET, (socket) => fromClient({ socket })));

    it("of its socket that is for TLS, and refused without", () => {
      const socket = { tls: true, ...SAMPLES_FOR_TLS };
      expect(fromClient({ socket })["tls"]).to.deep.equal(SAMPLES_FOR_TLS);
      for (const [name, value] of Object.entries(SAMPLES_FOR_TLS)) {
        const options = { socket: { [name]: value } };
        const client = { isOpen: false, options, sendCommand: five, duplicate: five };
        expect(() => ours(client)).to.throw(TypeError, `\`socket.${name}\``);
      }
    });
  });
}
