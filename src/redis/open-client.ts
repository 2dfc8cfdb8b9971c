import { Cluster, Command, Redis, type ClusterOptions, type RedisOptions } from "ioredis";
import type { Duplex } from "node:stream";
import { isTryAgain, refusalOf } from "../script/redis-errors.js";

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
    // Otherwise what is for a member that is just being connected to would fail.
    enableOfflineQueue: true,
    enableAutoPipelining: false,
    clusterRetryStrategy: () => null,
    clusterNodeRetryStrategy: null,
    // Above 0, a command that fails because its member is gone is sent again, after its own rollback.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    redisOptions: { ...ofMembers, ...own },
  };
}

/** Internals of ioredis that are accessed, each only if present. */
interface Inner {
  readonly connector?: { connectToSentinel?: (...args: unknown[]) => Redis };
  readonly subscriber?: { start?: () => void };
}

type ClusterArguments = ConstructorParameters<typeof Cluster>;

/** A client that is not connected yet, whose credentials are not published, and that tells why it is not let in. */
export function openRedis(options: HardenedOptions): Redis {
  const redis = guarded(new Redis(options));
  const { connector } = redis as unknown as Inner;
  const connect = connector?.connectToSentinel;
  if (connector !== undefined && connect !== undefined) {
    connector.connectToSentinel = (...args) => guarded(connect.apply(connector, args));
  }
  return redis;
}

/** The same for a Cluster. It needs no connection for subscriptions, as nobody uses them. */
export function openCluster(
  startupNodes: ClusterArguments[0],
  options: NonNullable<ClusterArguments[1]>,
): Cluster {
  const cluster = new Cluster(startupNodes, options);
  cluster.on("+node", guarded);
  const { subscriber } = cluster as unknown as Inner;
  if (subscriber !== undefined) subscriber.start = () => {};
  return cluster;
}

/**
 * ioredis publishes its commands in diagnostics channels, which tracing tools subscribe to. It omits passwords there;
 * but if the server refuses a password, it is published within the error with which all commands in flight fail.
 */
function guarded(redis: Redis): Redis {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command: Command, ...rest) => {
    command.isTraced = true;
    if (redis.status === "connect") {
      tellRefusal(redis, command);
      sendAtOnce(redis.stream);
    }
    return send(command, ...rest);
  };
  // A Cluster client asks the members for the slots with copies of them.
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (...args) => guarded(duplicate(...args));
  return redis;
}

/**
 * What a server says before it closes a connection is to ioredis the answer to the first command. It keeps that to
 * itself, as the connection is closed by then, or takes it for a needless password and warns on the console.
 */
function tellRefusal(redis: Redis, command: Command): void {
  const { reject } = command;
  command.reject = (error) => {
    const refusal = refusalOf(error);
    if (refusal !== undefined && redis.listenerCount("error") > 0) redis.emit("error", refusal);
    reject(refusal ?? error);
  };
}

/**
 * Writes all that is sent in this tick in one piece. If the server has closed already, the first write succeeds and the
 * second fails, which ends the stream before it is read what the server has said.
 */
function sendAtOnce(stream: Duplex): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Sends a command whose bytes are already encoded, and of which ioredis publishes nothing in its diagnostics channels:
 * arguments and replies can contain ownerIds. To ioredis it has no arguments, so there are none in the output of
 * `DEBUG=ioredis:*`.
 *
 * @param slot of its keys, for a Cluster client, which could not compute it
 */
export function sendBytes(
  client: Redis | Cluster,
  name: string,
  bytes: string | Buffer,
  slot?: number,
): Promise<unknown> {
  const command = new Command(name, [], { replyEncoding: "utf8" });
  command.toWritable = () => bytes;
  command.isTraced = true;
  const { reject } = command;
  if (slot !== undefined) command.getSlot = () => slot;
  client.sendCommand(command);
  if (slot !== undefined) {
    // A Cluster client sends a command again that comes in the middle of a migration: what follows would overtake it.
    const again = command.reject;
    command.reject = (error) => (isTryAgain(error) ? reject(error) : again(error));
  }
  return command.promise;
}
