import { Cluster, Redis, type Command } from "ioredis";
import type { HardenedOptions } from "./connection-options.js";

/** Internals of ioredis that are accessed, each only if present. */
interface Inner {
  readonly connector?: { connectToSentinel?: (...args: unknown[]) => Redis };
  readonly subscriber?: { start?: () => void };
}

type ClusterArguments = ConstructorParameters<typeof Cluster>;

/** A client that is not connected yet and whose credentials are not published. */
export function openRedis(options: HardenedOptions): Redis {
  const redis = hideCredentials(new Redis(options));
  const { connector } = redis as unknown as Inner;
  const connect = connector?.connectToSentinel;
  if (connector !== undefined && connect !== undefined) {
    connector.connectToSentinel = (...args) => hideCredentials(connect.apply(connector, args));
  }
  return redis;
}

/** The same for a Cluster. It needs no connection for subscriptions, as nobody uses them. */
export function openCluster(
  startupNodes: ClusterArguments[0],
  options: NonNullable<ClusterArguments[1]>,
): Cluster {
  const cluster = new Cluster(startupNodes, options);
  cluster.on("+node", hideCredentials);
  const { subscriber } = cluster as unknown as Inner;
  if (subscriber !== undefined) subscriber.start = () => {};
  return cluster;
}

/**
 * ioredis publishes its commands in diagnostics channels, which tracing tools subscribe to. It omits passwords there;
 * but if the server refuses a password, it is published within the error with which all commands in flight fail.
 */
function hideCredentials(redis: Redis): Redis {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command: Command, ...rest) => {
    command.isTraced = true;
    return send(command, ...rest);
  };
  // A Cluster client asks the members for the slots with copies of them.
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (...args) => hideCredentials(duplicate(...args));
  return redis;
}
