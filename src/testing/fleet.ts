import type { FleetOptions } from "./options.js";
import { checkFleetOptions, object } from "./arguments.js";
import { FleetNode } from "./fleet-node.js";
import { findProvider } from "./find-provider.js";
import type { RedisProvider } from "./redis-provider.js";
import { TcpLink } from "./tcp-link.js";

/** Several independent Redis servers, for the nodes of a lock. */
export class RedisFleet implements AsyncDisposable {
  readonly nodes: readonly FleetNode[];

  private constructor(nodes: readonly FleetNode[]) {
    this.nodes = nodes;
  }

  /**
   * Starts all servers concurrently. If one fails to start, the others are stopped before this rejects.
   *
   * @throws TypeError or RangeError for bad arguments, naming the option and the value.
   * @throws UnavailableError if something that the provider needs is missing on this machine.
   * @throws Error the first failure of a server.
   */
  static async start(options: FleetOptions = {}): Promise<RedisFleet> {
    checkFleetOptions(options);
    const indexes = Array.from({ length: options.nodes ?? 5 }, (_, index) => index);
    const provider = await findProvider(options.provider ?? "auto");
    const starts = indexes.map((index) => startNode(index, provider, options));
    const results = await Promise.allSettled(starts);
    const nodes = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
    const failure = results.find((result) => result.status === "rejected");
    const fleet = new RedisFleet(nodes);
    if (failure !== undefined) {
      await fleet.stop();
      throw failure.reason;
    }
    return fleet;
  }

  /** URLs for clients, in the order of {@link nodes}. */
  get urls(): string[] {
    return this.nodes.map((node) => node.url);
  }

  /**
   * Links to all nodes for a single client, in the order of {@link nodes}. Give the client their URLs, and you can
   * disconnect it from nodes that other clients can still reach. See {@link FleetNode.linkFor}.
   */
  linksFor(client: string): Promise<TcpLink[]> {
    return Promise.all(this.nodes.map((node) => node.linkFor(client)));
  }

  /** Stops all servers and links. Idempotent. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

async function startNode(
  index: number,
  provider: RedisProvider,
  options: FleetOptions,
): Promise<FleetNode> {
  const { server: setupOf } = options;
  const setup = typeof setupOf === "function" ? setupOf(index) : setupOf;
  if (setup !== undefined || setupOf !== undefined) object(`server(${index})`, setup);
  const server = await provider.start(setup);
  if (options.links !== true) return new FleetNode(index, server);
  const scheme = server.url.startsWith("rediss:") ? "rediss" : "redis";
  try {
    return new FleetNode(index, server, await TcpLink.start({ targetPort: server.port, scheme }));
  } catch (error) {
    await server.stop();
    throw error;
  }
}
