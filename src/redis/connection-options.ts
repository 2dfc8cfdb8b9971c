import type { ClusterOptions, RedisOptions } from "ioredis";

export type HardenedOptions = RedisOptions & { readonly replyMapping: "legacy" };

/**
 * Fixed settings of all our connections, whatever the given client or options say.
 *
 * A command must never be queued, repeated or sent again by the client: an acquire executed seconds later would lock
 * a name without a holder. The channel handles deadlines, reconnection and the order across connections, so one
 * client object serves exactly one connection.
 *
 * @param connectTimeoutMs after which ioredis gives up connecting
 */
export function hardened(connectTimeoutMs: number): HardenedOptions {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    reconnectOnError: null,
    enableReadyCheck: false,
    enableAutoPipelining: false,
    connectTimeout: connectTimeoutMs,
    stringNumbers: false,
    readOnly: false,
    monitor: false,
    noDelay: true,
    connectionName: "quorate",
    // It would take one more permission, and servers before 7.2 do not know the command.
    disableClientInfo: true,
    replyMapping: "legacy",
  };
}

type OfMembers = Omit<HardenedOptions, "retryStrategy" | "enableOfflineQueue">;

/** The same for a Cluster client, whose members have separate options. */
export function hardenedCluster(
  connectTimeoutMs: number,
  ofMembers: RedisOptions,
): ClusterOptions & { readonly redisOptions: RedisOptions & OfMembers } {
  const { retryStrategy: _, enableOfflineQueue: __, ...own } = hardened(connectTimeoutMs);
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    clusterRetryStrategy: () => null,
    clusterNodeRetryStrategy: null,
    redisOptions: { ...ofMembers, ...own },
  };
}
