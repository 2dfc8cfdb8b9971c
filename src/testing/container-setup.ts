import type { StartedTestContainer } from "testcontainers";
import { sessionLabels } from "./container-cleanup.js";
import type { DockerEngine, EngineContainer } from "./docker-engine.js";
import { redisConfig } from "./redis-config.js";
import { READY } from "./redis-launch.js";
import type { RedisServerOptions } from "./redis-provider.js";

const DIR = "/quorate";

/** What to run. */
export interface ContainerPlan {
  readonly image: string;
  /** Port on this host's loopback, and also in the container, so that the server can announce it. */
  readonly port: number;
  readonly options: RedisServerOptions;
  readonly timeoutMs: number;
  /** Called with the container before it is started. */
  readonly onCreated: (container: EngineContainer) => Promise<void>;
}

/** Creates and starts a container for one server; resolves when the server is ready. */
export function startContainer(
  { testcontainers, client }: DockerEngine,
  plan: ContainerPlan,
): Promise<StartedTestContainer> {
  const { GenericContainer, Wait } = testcontainers;

  class ServerContainer extends GenericContainer {
    /** By default, ports are open on all of the host's addresses, and this server has no password. */
    onLoopback(port: number): this {
      this.withExposedPorts({ container: port, host: port });
      const binding = { HostIp: "127.0.0.1", HostPort: String(port) };
      this.hostConfig.PortBindings = { [`${port}/tcp`]: [binding] };
      return this;
    }

    protected override containerCreated(id: string): Promise<void> {
      return plan.onCreated(client.container.getById(id));
    }
  }

  return (
    new ServerContainer(plan.image)
      .withEntrypoint(["redis-server"])
      .withCommand([`${DIR}/redis.conf`, ...(plan.options.extraArgs ?? [])])
      // Created if missing; unlike a volume, it is removed with its container.
      .withWorkingDir(`${DIR}/data`)
      // The image's own user, if it has one, could not write there.
      .withUser("0:0")
      .withDroppedCapabilities("ALL")
      .withCopyContentToContainer([{ content: config(plan), target: `${DIR}/redis.conf` }])
      .withCopyFilesToContainer(filesOf(plan.options))
      .onLoopback(plan.port)
      .withLabels(sessionLabels())
      .withAutoCleanup(false)
      .withStartupTimeout(plan.timeoutMs)
      .withWaitStrategy(Wait.forLogMessage(READY))
      .start()
  );
}

function config({ port, options }: ContainerPlan): string {
  const place = { port, bind: "0.0.0.0", dataDir: `${DIR}/data`, pidFile: `${DIR}/redis.pid` };
  return redisConfig(place, { ...options, ...tlsInside(options) });
}

function filesOf({ tls }: RedisServerOptions): { source: string; target: string }[] {
  const { tls: inside } = tlsInside({ ...(tls && { tls }) });
  const pairs = [
    [tls?.cert, inside?.cert],
    [tls?.key, inside?.key],
    [tls?.ca, inside?.ca],
  ];
  return pairs.flatMap(([source, target]) => (source && target ? [{ source, target }] : []));
}

/** The certificate files at their paths in the container. */
function tlsInside({ tls }: RedisServerOptions): Pick<RedisServerOptions, "tls"> {
  if (tls === undefined) return {};
  const ca = tls.ca === undefined ? {} : { ca: `${DIR}/ca.pem` };
  return { tls: { ...tls, cert: `${DIR}/cert.pem`, key: `${DIR}/key.pem`, ...ca } };
}
