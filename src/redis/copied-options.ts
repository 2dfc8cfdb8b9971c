import type { ClusterOptions, RedisOptions } from "ioredis";
import { similar, unknownOption } from "../runtime/validate.js";

/**
 * - `copied`: where the server is, our identity there, or how to reach it
 * - `own`: Quorate sets it itself, or does not use what it affects
 */
type Use = "copied" | "own";

type Uses<Options> = Readonly<Record<Exclude<keyof Options, "keyPrefix">, Use>>;

/** All options of a client of one server. A key prefix is in neither group: it would lock other keys. */
const REDIS_OPTIONS: Uses<RedisOptions> = {
  host: "copied",
  port: "copied",
  path: "copied",
  family: "copied",
  tls: "copied",
  username: "copied",
  password: "copied",
  db: "copied",
  protocol: "copied",
  keepAlive: "copied",
  disconnectTimeout: "copied",
  Connector: "copied",
  sentinels: "copied",
  name: "copied",
  role: "copied",
  preferredSlaves: "copied",
  natMap: "copied",
  sentinelUsername: "copied",
  sentinelPassword: "copied",
  sentinelTLS: "copied",
  enableTLSForSentinelMode: "copied",
  sentinelReconnectStrategy: "copied",
  sentinelCommandTimeout: "copied",
  sentinelMaxConnections: "copied",
  updateSentinels: "copied",
  failoverDetector: "copied",
  sentinelRetryStrategy: "own",
  retryStrategy: "own",
  reconnectOnError: "own",
  maxRetriesPerRequest: "own",
  maxLoadingRetryTime: "own",
  autoResubscribe: "own",
  autoResendUnfulfilledCommands: "own",
  enableOfflineQueue: "own",
  offlineQueue: "own",
  commandQueue: "own",
  enableReadyCheck: "own",
  enableAutoPipelining: "own",
  autoPipeliningIgnoredCommands: "own",
  lazyConnect: "own",
  connectTimeout: "own",
  commandTimeout: "own",
  socketTimeout: "own",
  blockingTimeout: "own",
  blockingTimeoutGrace: "own",
  noDelay: "own",
  connectionName: "own",
  clientInfoTag: "own",
  disableClientInfo: "own",
  readOnly: "own",
  monitor: "own",
  stringNumbers: "own",
  replyMapping: "own",
  scripts: "own",
  himportFieldsets: "own",
  showFriendlyErrorStack: "own",
};

/** All options of a Cluster client. Those of its members are within `redisOptions`. */
const CLUSTER_OPTIONS: Uses<ClusterOptions> = {
  redisOptions: "copied",
  natMap: "copied",
  dnsLookup: "copied",
  useSRVRecords: "copied",
  resolveSrv: "copied",
  maxRedirections: "copied",
  retryDelayOnFailover: "own",
  retryDelayOnClusterDown: "own",
  retryDelayOnTryAgain: "own",
  retryDelayOnMoved: "copied",
  slotsRefreshTimeout: "copied",
  slotsRefreshInterval: "copied",
  clusterRetryStrategy: "own",
  clusterNodeRetryStrategy: "own",
  enableOfflineQueue: "own",
  enableReadyCheck: "own",
  enableAutoPipelining: "own",
  autoPipeliningIgnoredCommands: "own",
  lazyConnect: "own",
  scaleReads: "own",
  shardedSubscribers: "own",
  scripts: "own",
  himportFieldsets: "own",
  showFriendlyErrorStack: "own",
};

/** Additional options of iovalkey: they concern its own reconnection. */
const IOVALKEY_OPTIONS = ["familyFallback"];

/** Whether ioredis has an option of that name for a client of one server. */
export function isRedisOption(name: string): boolean {
  return Object.hasOwn(REDIS_OPTIONS, name) || name === "keyPrefix";
}

/** The options of a client that our own connections use. */
export function copyOfOptions(options: object): RedisOptions {
  return copied(options, REDIS_OPTIONS);
}

/** The same for the options of a Cluster client. */
export function copyOfClusterOptions(options: object): ClusterOptions {
  return copied(options, CLUSTER_OPTIONS);
}

function copied(options: object, uses: Readonly<Record<string, Use>>): object {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) => uses[name] === "copied" && value !== undefined,
    ),
  );
}

/** @throws TypeError naming an option that our connections could not honour. */
export function checkClient(options: object, at: string, isCluster: boolean): void {
  if (!isCluster) return checkAll(options, REDIS_OPTIONS, at);
  checkAll(options, CLUSTER_OPTIONS, at);
  const { redisOptions = {} } = options as ClusterOptions;
  checkAll(redisOptions, REDIS_OPTIONS, at);
}

function checkAll(options: object, uses: object, at: string): void {
  for (const [name, value] of Object.entries(options)) {
    const isKnown = Object.hasOwn(uses, name) || IOVALKEY_OPTIONS.includes(name);
    if (isKnown || name === "keyPrefix" || isOff(value)) continue;
    throw new TypeError(
      `\`${at}\` is a client with the option \`${name}\`, which Quorate does not know and so cannot ` +
        "copy to its own connections; give the node as a URL or as `{ options: {...} }`",
    );
  }
}

/** @throws TypeError naming an option that ioredis does not have. */
export function checkOptions(options: object, at: string): void {
  for (const name of Object.keys(options)) {
    if (!isRedisOption(name))
      throw unknownOption(name, similar(name, Object.keys(REDIS_OPTIONS)), `${at}.options.`);
  }
}

/** An option that is set but has no effect. */
function isOff(value: unknown): boolean {
  return value === undefined || value === null || value === false;
}
