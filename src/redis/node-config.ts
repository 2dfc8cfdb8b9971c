import { Redis, type Cluster, type RedisOptions } from "ioredis";
import { show } from "../checks.js";
import type { Transport } from "../channel/transport.js";
import type { BatchConstants } from "../script/batch-codec.js";
import type { BatchWire } from "./batch-wire.js";
import { ClusterTransport } from "./cluster-transport.js";
import { hardened, REMOVED_OPTIONS } from "./connection-options.js";
import { StandaloneTransport } from "./standalone-transport.js";

/**
 * One node: a URL (`redis://`, `rediss://`), an ioredis client (of this or another major version,
 * `Redis` or `Cluster`), or an object. A client is only copied: Quorate opens connections of its
 * own and neither uses nor closes yours.
 */
export type NodeConfig = string | RedisLike | NodeOptions;

/** An ioredis client, whichever copy of ioredis made it. */
export interface RedisLike {
  readonly isCluster: boolean;
  readonly options: object;
  duplicate(...args: never[]): unknown;
}

export interface NodeOptions {
  readonly url?: string | undefined;
  readonly client?: RedisLike | undefined;
  /** Options of ioredis, for instance `sentinels` and `name`, `tls`, `username`, `password`. */
  readonly options?: RedisOptions | undefined;
  /**
   * The node keeps every write over a restart (`appendonly yes`, `appendfsync always`): a restart
   * that kept its record does not quarantine it.
   * @defaultValue false
   */
  readonly durable?: boolean | undefined;
}

/** A node as the manager works with it. */
export interface ConfiguredNode {
  readonly transport: Transport;
  readonly isDurable: boolean;
  readonly isCluster: boolean;
}

/** @throws TypeError that names the node and what is wrong with it. */
export function configureNode(
  config: NodeConfig,
  index: number,
  constants: BatchConstants,
  connectTimeoutMs: number,
  wire: BatchWire,
): ConfiguredNode {
  const at = `nodes[${index}]`;
  if (typeof config === "string")
    return configureNode({ url: config }, index, constants, connectTimeoutMs, wire);
  if (typeof config !== "object" || config === null) {
    throw new TypeError(
      `\`${at}\` must be a URL, an ioredis client or an object, got ${show(config)}`,
    );
  }
  if (isClient(config))
    return configureNode({ client: config }, index, constants, connectTimeoutMs, wire);
  const { url, client, options, durable = false } = config;
  if (typeof durable !== "boolean") {
    throw new TypeError(`\`${at}.durable\` must be a boolean, got ${show(durable)}`);
  }
  if ([url, client, options].filter((given) => given !== undefined).length === 0) {
    throw new TypeError(`\`${at}\` must have a \`url\`, a \`client\` or \`options\``);
  }
  checkNoKeyPrefix(client, options, at);
  if (client?.isCluster === true) {
    const open = (): Cluster => copyOfCluster(client, connectTimeoutMs);
    const transport = new ClusterTransport(`cluster ${index}`, open, constants);
    return { transport, isDurable: durable, isCluster: true };
  }
  const open =
    client === undefined
      ? () => openOwn(url, options, connectTimeoutMs)
      : () => copyOf(client, options, connectTimeoutMs);
  const name = client === undefined ? nameOf(url, options, at) : nameOfOptions(client.options);
  return {
    transport: new StandaloneTransport(name, open, constants, wire),
    isDurable: durable,
    isCluster: false,
  };
}

/** Two clients must not lock different keys for the same name, which a prefix of ioredis would do. */
function checkNoKeyPrefix(
  client: RedisLike | undefined,
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

function isClient(config: RedisLike | NodeOptions): config is RedisLike {
  return "duplicate" in config && typeof config.duplicate === "function";
}

function openOwn(
  url: string | undefined,
  options: RedisOptions | undefined,
  connectTimeoutMs: number,
): Redis {
  const merged = { ...without(options ?? {}), ...hardened(connectTimeoutMs) };
  return url === undefined ? new Redis(merged) : new Redis(url, merged);
}

/** The client's own class makes the copy, so that a client of another ioredis works too. */
function copyOf(
  client: RedisLike,
  options: RedisOptions | undefined,
  connectTimeoutMs: number,
): Redis {
  const off = Object.fromEntries(REMOVED_OPTIONS.map((name) => [name, undefined]));
  const override = { ...options, ...off, ...hardened(connectTimeoutMs) };
  const ours = client as unknown as { duplicate(override: object): Redis };
  return ours.duplicate(override);
}

function copyOfCluster(client: RedisLike, connectTimeoutMs: number): Cluster {
  const theirs = client as unknown as {
    readonly options: { readonly redisOptions?: object };
    duplicate(nodes: [], override: object): Cluster;
  };
  const { retryStrategy: _, enableOfflineQueue: __, ...ofMembers } = hardened(connectTimeoutMs);
  return theirs.duplicate([], {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    keyPrefix: "",
    clusterRetryStrategy: () => null,
    redisOptions: { ...theirs.options.redisOptions, ...ofMembers },
  });
}

function without(options: RedisOptions): RedisOptions {
  const rest: RedisOptions = { ...options };
  for (const name of REMOVED_OPTIONS) delete rest[name];
  return rest;
}

function nameOf(url: string | undefined, options: RedisOptions | undefined, at: string): string {
  if (url === undefined) return nameOfOptions(options ?? {});
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new TypeError(
      `\`${at}\` must be a redis:// or rediss:// URL, got ${show(withoutSecret(url))}`,
    );
  }
  if (parsed.protocol !== "redis:" && parsed.protocol !== "rediss:") {
    throw new TypeError(`\`${at}\` must be a redis:// or rediss:// URL, got ${parsed.protocol}//`);
  }
  return `${parsed.hostname}:${parsed.port === "" ? 6379 : parsed.port}`;
}

function withoutSecret(url: string): string {
  return url.replace(/\/\/[^@]*@/, "//***@");
}

function nameOfOptions(options: RedisOptions): string {
  if (options.sentinels) return `sentinel ${options.name ?? ""}`.trim();
  if (options.path) return options.path;
  return `${options.host ?? "localhost"}:${options.port ?? 6379}`;
}
