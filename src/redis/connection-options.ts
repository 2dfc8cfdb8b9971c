import type { RedisOptions } from "ioredis";

export type HardenedOptions = RedisOptions & { readonly replyMapping: "legacy" };

/**
 * What every connection of ours is set to, whatever the given client or options say.
 *
 * A command must never be queued, repeated or sent again behind our back: an acquire that runs
 * seconds later locks a name for nobody. Deadlines, reconnection and the order across connections
 * are the channel's business, so one client object serves exactly one connection.
 */
export function hardened(connectTimeoutMs: number): HardenedOptions {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    reconnectOnError: null,
    enableReadyCheck: false,
    enableAutoPipelining: false,
    connectTimeout: connectTimeoutMs,
    stringNumbers: false,
    readOnly: false,
    monitor: false,
    noDelay: true,
    connectionName: "quorate",
    replyMapping: "legacy",
  };
}

/** Options of a given client that would undo the above and have no value that says "off". */
export const REMOVED_OPTIONS = [
  "commandTimeout",
  "socketTimeout",
  "scripts",
  "himportFieldsets",
] as const;
