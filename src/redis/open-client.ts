import { Cluster, Redis, type Command } from "ioredis";
import type { HardenedOptions } from "./connection-options.js";

/** What is reached into of ioredis, each only if it is there. */
interface Inner {
  readonly connector?: { connectToSentinel?: (...args: unknown[]) => Redis };
  readonly subscriber?: { start?: () => void };
}

type ClusterArguments = ConstructorParameters<typeof Cluster>;

/** A client that is not connected yet, and of whose credentials nothing is published. */
export function openRedis(options: HardenedOptions): Redis {
  const redis = hideCredentials(new Redis(options));
  const { connector } = redis as unknown as Inner;
  const connect = connector?.connectToSentinel;
  if (connector !== undefined && connect !== undefined) {
    connector.connectToSentinel = (...args) => hideCredentials(connect.apply(connector, args));
  }
  return redis;
}

/** The same for a Cluster. It makes do without the connection for subscriptions, which nobody uses. */
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
 * ioredis publishes its commands in diagnostics channels, which tools for tracing listen to. It leaves a
 * password out there; but if the server refuses it, it goes out within the error, with which all
 * commands fail that are under way.
 */
function hideCredentials(redis: Redis): Redis {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command: Command, ...rest) => {
    command.isTraced = true;
    return send(command, ...rest);
  };
  // A Cluster asks its members for the slots by copies of them.
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (...args) => hideCredentials(duplicate(...args));
  return redis;
}
