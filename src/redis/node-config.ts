import type { Cluster, Redis, RedisOptions } from "ioredis";
import { handshakeTimeoutMs } from "../protocol/deadlines.js";
import { systemClock, systemEntropy } from "../runtime/system.js";
import {
  boolean,
  checkObject,
  show,
  showWithoutLogin,
  similar,
  string,
  unknownOption,
  whole,
} from "../runtime/validate.js";
import type { Transport } from "../channel/transport.js";
import type { BatchWire } from "../script/batch-encoder.js";
import type { RedisLike } from "./client-types.js";
import { ClusterTransport } from "./cluster-transport.js";
import {
  checkClient,
  checkOptions,
  copyOfClusterOptions,
  copyOfOptions,
  isRedisOption,
} from "./copied-options.js";
import {
  checkNodeRedis,
  copyOfNodeRedis,
  isOfNodeRedis,
  type NodeRedisLike,
} from "./node-redis-options.js";
import { NodeCredentials, type CredentialsProvider, type CredentialsWorld } from "./credentials.js";
import { optionsOfUrl } from "./node-url.js";
import { hardened, hardenedCluster, openCluster, openRedis } from "./open-client.js";
import { CommandedTransport, type CommandTransport } from "./command-transport.js";
import { StandaloneTransport } from "./standalone-transport.js";

/** A node that is reached by Redis connections. */
export type RedisNode = string | RedisLike | NodeRedisLike | NodeOptions;

/** One of `url`, `client`, `options` and `transport`, or `options` beside one of the first two. */
export interface NodeOptions {
  readonly url?: string | undefined;
  readonly client?: RedisLike | NodeRedisLike | undefined;
  /**
   * Options of ioredis, for instance `host` and `port`, `tls`, `username` and `password`, or
   * `sentinels` and `name`. Beside a `url` they add to it, beside a `client` they overrule its own.
   */
  readonly options?: RedisOptions | undefined;
  /**
   * Connections by a client library that Quorate does not know, which pass its conformance test (`transportChecks` of
   * `quorate/testing`).
   */
  readonly transport?: CommandTransport | undefined;
  /**
   * Gets credentials that expire, such as tokens of a cloud service, in place of a user name and password. Called
   * before each connection is opened, and again at 80 % of the rest of their life: then the open connections are
   * authenticated again. While it fails or does not answer, they stay open, a warning says why, and so does the node's
   * `detail`. Not beside a `transport`.
   */
  readonly credentials?: CredentialsProvider | undefined;
  /**
   * The node keeps every write over a restart (`appendonly yes`, `appendfsync always`): a restart
   * that kept its record does not quarantine it.
   * @defaultValue false
   */
  readonly durable?: boolean | undefined;
  /**
   * The node is used although its INFO does not name a `run_id`, as some services do. Its restart then goes unseen if
   * it comes back with an old snapshot: two clients may hold a lock. So it must keep every write over a restart, as
   * `durable` requires. Nodes of this kind use the same database number, by whose records they are told apart.
   * @defaultValue false: such a server is misconfigured
   */
  readonly acceptNoRunId?: boolean | undefined;
  /**
   * The server runs scripts atomically although its kind does not by default: Garnet with `--lua-transaction-mode`.
   * @defaultValue false: such a server is misconfigured
   */
  readonly atomicScripts?: boolean | undefined;
}

/** Of a server's setting `databases`. */
const MAX_DATABASE = 2 ** 31 - 1;

const FLAGS = ["durable", "acceptNoRunId", "atomicScripts"] as const;

const KNOWN = ["url", "client", "options", "transport", "credentials", ...FLAGS];

/** What clients have, even those that cannot be copied, and an object with our options does not. */
const CLIENT_MEMBERS = ["duplicate", "sendCommand", "customCommand"];

/** `durable`, `acceptNoRunId` and `atomicScripts` of a node. */
export interface NodeFlags {
  readonly isDurable: boolean;
  readonly isRunIdOptional: boolean;
  readonly areScriptsAtomic: boolean;
}

/** A node as the manager uses it. */
export interface ConfiguredNode extends NodeFlags {
  readonly transport: Transport;
  readonly isCluster: boolean;
  /** The number of its database; undefined where there is none. */
  readonly database?: number;
}

/**
 * How much longer than the handshake ioredis may take to connect; the handshake has its own deadline and can report
 * its progress. A silent Sentinel must not use up the time of the next one.
 */
const CONNECT_TIMEOUT_FACTOR = 5;

/** Connections to a node, each a client that is not connected yet, with the options given for the node. */
export type NodeClients = NodeFlags & {
  /** For people, without credentials. */
  readonly name: string;
  readonly credentials: NodeCredentials | undefined;
} & (
    | { readonly isCluster: false; readonly database: number; readonly open: () => Redis }
    | { readonly isCluster: true; readonly open: () => Cluster }
  );

/** @throws TypeError, or RangeError for a number, that names the node and what is wrong with it. */
export function configureNode(
  config: RedisNode,
  index: number,
  nodeTimeoutMs: number,
  wire: BatchWire,
  world?: CredentialsWorld,
): ConfiguredNode {
  const own = ownTransport(config, `nodes[${index}]`);
  if (own !== undefined) {
    const { transport } = own;
    const flags = { ...flagsOf(own), isCluster: false };
    return { transport: new CommandedTransport(transport, wire.constants), ...flags };
  }
  const clients = clientsOf(config, index, handshakeTimeoutMs(nodeTimeoutMs), world);
  const { name, credentials, isDurable, isRunIdOptional, areScriptsAtomic, isCluster } = clients;
  const transport = clients.isCluster
    ? new ClusterTransport(name, clients.open, wire, nodeTimeoutMs, credentials, world?.clock)
    : new StandaloneTransport(name, clients.open, wire, credentials);
  const database = clients.isCluster ? {} : { database: clients.database };
  return { transport, isDurable, isRunIdOptional, areScriptsAtomic, isCluster, ...database };
}

/**
 * A server that does not name its run is recognized by its record, of which each of its databases has another.
 *
 * @throws TypeError that names two nodes which could be one server
 */
export function checkDatabases(nodes: readonly ConfiguredNode[]): void {
  const first = nodes.findIndex(({ isRunIdOptional }) => isRunIdOptional);
  nodes.forEach(({ isRunIdOptional, database }, at) => {
    const of = nodes[first]?.database;
    if (!isRunIdOptional || database === of) return;
    throw new TypeError(
      `\`nodes[${at}]\` is on database ${database} and \`nodes[${first}]\` on ${of}; nodes with \`acceptNoRunId\` ` +
        "need the same number, or a server that is listed twice could vote twice",
    );
  });
}

/** @throws TypeError, or RangeError for a number, that names the node and what is wrong with it. */
export function clientsOf(
  config: RedisNode,
  index: number,
  connectTimeoutMs: number,
  world: CredentialsWorld = QUIET,
): NodeClients {
  const at = `nodes[${index}]`;
  if (ownTransport(config, at) !== undefined)
    throw new TypeError(
      `\`${at}\` has a \`transport\`, and this needs connections of Quorate's own`,
    );
  const node = checked(config, at);
  const { url, client, options = {} } = node;
  const flags = flagsOf(node);
  const credentialsOf = (name: string): NodeCredentials | undefined =>
    node.credentials && new NodeCredentials(name, node.credentials, connectTimeoutMs, world);
  if (client !== undefined && isCluster(client)) {
    const name = `cluster ${index}`;
    const credentials = credentialsOf(name);
    const open = (): Cluster => {
      const cluster = copyOfCluster(client, options, connectTimeoutMs);
      return credentials?.guardMembers(cluster) ?? cluster;
    };
    return { name, open, ...flags, credentials, isCluster: true };
  }
  const ofUrl = url === undefined ? {} : optionsOfUrl(url, at);
  // Read at each connection: to rotate a password, users set it in the options of the client.
  const given = (): RedisOptions => ({
    ...copyOfClient(client),
    ...copyOfOptions(options),
    ...ofUrl,
    // Neither `false` nor `null` takes away the TLS of a rediss:// URL: its password would be sent as plain text.
    ...(options.tls ? { tls: options.tls } : {}),
  });
  const { db: database = 0, ...first } = given();
  checkHost(first, at);
  const name = nameOf(first);
  const credentials = credentialsOf(name);
  const open = (): Redis => {
    const own = given();
    const factor = own.sentinels === undefined ? CONNECT_TIMEOUT_FACTOR : 1;
    const redis = openRedis({ ...own, ...hardened(factor * connectTimeoutMs) });
    return credentials?.guard(redis) ?? redis;
  };
  return { name, database, open, ...flags, credentials, isCluster: false };
}

function flagsOf({ durable, acceptNoRunId, atomicScripts }: NodeOptions): NodeFlags {
  return {
    isDurable: durable === true,
    isRunIdOptional: acceptNoRunId === true,
    areScriptsAtomic: atomicScripts === true,
  };
}

/** For those whom nobody asks for the reason: they fail themselves. */
const QUIET: CredentialsWorld = {
  clock: systemClock(),
  entropy: systemEntropy(),
  warn: () => {},
};

function checked(config: RedisNode, at: string): NodeOptions {
  const expected =
    "a URL, a client of ioredis, iovalkey or node-redis, or an object with one of them";
  if (typeof config === "string") return { url: config };
  if (typeof config !== "object" || config === null) {
    throw new TypeError(`\`${at}\` must be ${expected}, got ${show(config)}`);
  }
  if (CLIENT_MEMBERS.some((member) => member in config)) {
    return checked({ client: config as RedisLike }, at);
  }
  // Another library's client, most likely: what it lacks is not an option that is misspelt.
  const { credentials: _, ...members } = config as NodeOptions;
  if (Object.values(members).some((member) => typeof member === "function")) {
    throw new TypeError(`\`${at}\` must be ${expected}, got an object with methods`);
  }
  for (const name of Object.keys(config)) {
    if (KNOWN.includes(name)) continue;
    const className = config.constructor?.name ?? "Object";
    if (className === "Object") throw unknown(name, at);
    throw new TypeError(`\`${at}\` must be ${expected}, got an instance of ${className}`);
  }
  const { url, client, options } = config as NodeOptions;
  for (const flag of FLAGS) {
    const value: unknown = (config as NodeOptions)[flag];
    if (value !== undefined) boolean(`${at}.${flag}`, value);
  }
  if (url !== undefined && typeof url !== "string")
    throw new TypeError(`\`${at}.url\` must be a string, got ${showWithoutLogin(url)}`);
  if (options !== undefined) checkObject(`\`${at}.options\``, options);
  if (url !== undefined && client !== undefined) {
    throw new TypeError(`\`${at}\` must have a \`url\` or a \`client\`, not both`);
  }
  const { transport } = config as NodeOptions;
  if ([url, client, options, transport].every((given) => given === undefined)) {
    throw new TypeError(
      `\`${at}\` must have a \`url\`, a \`client\`, \`options\` or a \`transport\``,
    );
  }
  if (options !== undefined) {
    checkOptions(options, at);
    // By which the node is called.
    for (const name of ["host", "path", "name"] as const)
      if (options[name] !== undefined) string(`${at}.options.${name}`, options[name]);
    checkNumbers(options, at);
  }
  if (client !== undefined) checkAnyClient(client, at);
  if (options?.sentinels !== undefined) checkSentinels({ ...copyOfClient(client), ...options }, at);
  checkNoKeyPrefix(client, options, at);
  checkCredentials(config, at);
  return config;
}

/** For what is no number ioredis takes another, or fails where nobody hears it. A text of digits is one to it, too. */
function checkNumbers(options: RedisOptions, at: string): void {
  for (const [name, most] of [
    ["port", 65_535],
    ["db", MAX_DATABASE],
  ] as const) {
    const value: unknown = options[name];
    const isText = typeof value === "string" && /^\d+$/.test(value);
    if (value !== undefined)
      whole(`${at}.options.${name}`, isText ? Number(value) : value, 0, most);
  }
}

/** ioredis would throw when it connects. */
function checkSentinels({ sentinels, name }: RedisOptions, at: string): void {
  if (!Array.isArray(sentinels) || sentinels.length === 0) {
    throw new TypeError(
      `\`${at}.options.sentinels\` must be an array of { host, port }, got ${showWithoutLogin(sentinels)}`,
    );
  }
  if (!name)
    throw new TypeError(
      `\`${at}.options\` has \`sentinels\` and no \`name\`, by which they know the master`,
    );
}

/** Two answers to who we are: the one that the connection uses would depend on the moment. */
function checkCredentials(
  { credentials, url, client, options, transport }: NodeOptions,
  at: string,
): void {
  if (credentials === undefined) return;
  if (typeof credentials !== "function") {
    throw new TypeError(`\`${at}.credentials\` must be a function, got ${show(credentials)}`);
  }
  if (transport !== undefined) {
    throw new TypeError(
      `\`${at}\` has \`credentials\` and a \`transport\`, which authenticates its own connections`,
    );
  }
  const ofClient: { readonly redisOptions?: object } | undefined = client?.options;
  const places = {
    "its url": url === undefined ? {} : optionsOfUrl(url, at),
    "its client": { ...copyOfClient(client), ...ofClient?.redisOptions },
    "its options": options,
  };
  for (const [place, given] of Object.entries(places)) {
    const { username, password } = Object(given) as RedisOptions;
    if (!username && !password) continue;
    const what = password ? "a password" : "a user name";
    throw new TypeError(`\`${at}\` has \`credentials\` and ${what} in ${place}; give one of them`);
  }
}

type WithTransport = NodeOptions & { readonly transport: CommandTransport };

/** The node, if it has a transport. */
function ownTransport(config: RedisNode, at: string): WithTransport | undefined {
  if (typeof config !== "object" || config === null || !("transport" in config)) return undefined;
  const { transport, url, client, options } = checked(config, at);
  if (transport === undefined) return undefined;
  if ([url, client, options].some((other) => other !== undefined)) {
    throw new TypeError(
      `\`${at}\` must have a \`transport\` alone, without url, client or options`,
    );
  }
  const { name, connect } = Object(transport) as Partial<CommandTransport>;
  if (typeof name !== "string" || typeof connect !== "function") {
    throw new TypeError(
      `\`${at}.transport\` must be an object with \`name\` and \`connect\`, got ${show(transport)}`,
    );
  }
  return { ...config, transport };
}

function unknown(name: string, at: string): TypeError {
  if (!isRedisOption(name)) return unknownOption(name, similar(name, KNOWN), `${at}.`);
  const instead = `options of ioredis stand in { options: { ${name}: ... } }`;
  return new TypeError(`unknown option \`${at}.${name}\`; ${instead}`);
}

function checkAnyClient(client: RedisLike | NodeRedisLike, at: string): void {
  if (typeof client === "object" && client !== null) {
    if (isOfNodeRedis(client)) return checkNodeRedis(client, at);
    const { isCluster: isForCluster, options } = client as Partial<RedisLike>;
    if (typeof isForCluster === "boolean" && typeof options === "object" && options !== null) {
      return checkClient(options, at, isForCluster);
    }
  }
  const isGlide =
    typeof (client as { customCommand?: unknown } | null)?.customCommand === "function";
  const what = isGlide ? "is a client of GLIDE" : "is no client of ioredis, iovalkey or node-redis";
  const instead =
    "give the node as a URL, as `{ options: {...} }`, or as `{ transport }` (docs/how-to/transports.md)";
  throw new TypeError(`\`${at}\` ${what}, whose options Quorate cannot copy; ${instead}`);
}

function isCluster(client: RedisLike | NodeRedisLike): client is RedisLike {
  return "isCluster" in client && client.isCluster;
}

function copyOfClient(client: RedisLike | NodeRedisLike | undefined): RedisOptions {
  if (client === undefined) return {};
  return isOfNodeRedis(client) ? copyOfNodeRedis(client.options) : copyOfOptions(client.options);
}

/** Two clients must not lock different keys for the same name, as a key prefix of ioredis would make them do. */
function checkNoKeyPrefix(
  client: RedisLike | NodeRedisLike | undefined,
  options: RedisOptions | undefined,
  at: string,
): void {
  const ofClient = client?.options as { keyPrefix?: string; redisOptions?: { keyPrefix?: string } };
  const keyPrefix = options?.keyPrefix ?? ofClient?.keyPrefix ?? ofClient?.redisOptions?.keyPrefix;
  if (!keyPrefix) return;
  throw new TypeError(
    `\`${at}\` has the ioredis option \`keyPrefix\` ${show(keyPrefix)}; give it to the LockManager instead`,
  );
}

function copyOfCluster(
  client: RedisLike,
  options: RedisOptions,
  connectTimeoutMs: number,
): Cluster {
  const { startupNodes } = client as unknown as { startupNodes: { host: string; port: number }[] };
  const { redisOptions = {}, ...given } = copyOfClusterOptions(client.options);
  const ofMembers = { ...copyOfOptions(redisOptions), ...copyOfOptions(options) };
  return openCluster([...startupNodes], {
    ...given,
    ...hardenedCluster(connectTimeoutMs, ofMembers),
  });
}

/** A URL in its place would be shown wherever the node is named, with its password. */
function checkHost({ host = "" }: RedisOptions, at: string): void {
  if (!/[/@]/.test(host)) return;
  const instead = "give a URL as { url }";
  throw new TypeError(`\`${at}\` has the invalid host ${showWithoutLogin(host)}; ${instead}`);
}

function nameOf({ sentinels, name = "", path, host = "localhost", port }: RedisOptions): string {
  if (sentinels) return `sentinel ${name}`.trim();
  if (path) return path;
  return `${host.includes(":") ? `[${host}]` : host}:${port ?? 6_379}`;
}
