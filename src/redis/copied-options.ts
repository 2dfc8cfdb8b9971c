import type { ClusterOptions, RedisOptions } from "ioredis";
import { similar, unknownOption } from "../runtime/validate.js";

/** Of a client of one server: where that is, our identity there, or how to reach it. */
const COPIED = [
  ...["host", "port", "path", "family", "tls", "username", "password", "db", "protocol"],
  ...["keepAlive", "disconnectTimeout", "Connector", "sentinels", "name", "role"],
  ...["preferredSlaves", "natMap", "sentinelUsername", "sentinelPassword", "sentinelTLS"],
  ...["enableTLSForSentinelMode", "sentinelReconnectStrategy", "sentinelCommandTimeout"],
  ...["sentinelMaxConnections", "updateSentinels", "failoverDetector"],
];

/** Set by Quorate itself, or without effect here. */
const OWN = [
  ...["sentinelRetryStrategy", "retryStrategy", "reconnectOnError", "maxRetriesPerRequest"],
  ...["maxLoadingRetryTime", "autoResubscribe", "autoResendUnfulfilledCommands"],
  ...["enableOfflineQueue", "offlineQueue", "commandQueue", "enableReadyCheck"],
  ...["enableAutoPipelining", "autoPipeliningIgnoredCommands", "lazyConnect", "connectTimeout"],
  ...["commandTimeout", "socketTimeout", "blockingTimeout", "blockingTimeoutGrace", "noDelay"],
  ...["connectionName", "clientInfoTag", "disableClientInfo", "readOnly", "monitor"],
  ...["stringNumbers", "replyMapping", "scripts", "himportFieldsets", "showFriendlyErrorStack"],
];

/** The same of a Cluster client. The options of its members are within `redisOptions`. */
const COPIED_OF_CLUSTER = [
  ...["redisOptions", "natMap", "dnsLookup", "useSRVRecords", "resolveSrv", "maxRedirections"],
  ...["retryDelayOnMoved", "slotsRefreshTimeout", "slotsRefreshInterval"],
];

const OWN_OF_CLUSTER = [
  ...["retryDelayOnFailover", "retryDelayOnClusterDown", "retryDelayOnTryAgain"],
  ...["clusterRetryStrategy", "clusterNodeRetryStrategy", "enableOfflineQueue", "enableReadyCheck"],
  ...["enableAutoPipelining", "autoPipeliningIgnoredCommands", "lazyConnect", "scaleReads"],
  ...["shardedSubscribers", "scripts", "himportFieldsets", "showFriendlyErrorStack"],
];

/** All that ioredis has for a client of one server but a key prefix, which no list has: it would lock other keys. */
const OF_REDIS = [...COPIED, ...OWN];
const OF_CLUSTER = [...COPIED_OF_CLUSTER, ...OWN_OF_CLUSTER];

/** Additional options of iovalkey: they concern its own reconnection. */
const IOVALKEY_OPTIONS = ["familyFallback"];

/** Whether ioredis has an option of that name for a client of one server. */
export function isRedisOption(name: string): boolean {
  return name === "keyPrefix" || OF_REDIS.includes(name);
}

/** The options of a client that our own connections use. */
export function copyOfOptions(options: object): RedisOptions {
  return copied(options, COPIED);
}

/** The same for the options of a Cluster client. */
export function copyOfClusterOptions(options: object): ClusterOptions {
  return copied(options, COPIED_OF_CLUSTER);
}

function copied(options: object, names: readonly string[]): object {
  const given = Object.entries(options);
  return Object.fromEntries(
    given.filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

/** @throws TypeError naming an option that our connections could not honour. */
export function checkClient(options: object, at: string, isCluster: boolean): void {
  if (!isCluster) return checkAll(options, OF_REDIS, at);
  checkAll(options, OF_CLUSTER, at);
  const { redisOptions = {} } = options as ClusterOptions;
  checkAll(redisOptions, OF_REDIS, at);
}

function checkAll(options: object, known: readonly string[], at: string): void {
  for (const [name, value] of Object.entries(options)) {
    const isKnown = known.includes(name) || IOVALKEY_OPTIONS.includes(name);
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
    if (!isRedisOption(name)) throw unknownOption(name, similar(name, OF_REDIS), `${at}.options.`);
  }
}

/** An option that is set but has no effect. */
function isOff(value: unknown): boolean {
  return value === undefined || value === null || value === false;
}
