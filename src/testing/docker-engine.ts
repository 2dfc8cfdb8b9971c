import { networkInterfaces } from "node:os";
import type * as Testcontainers from "testcontainers";
import type { ContainerRuntimeClient } from "testcontainers";
import { UnavailableError } from "./unavailable-error.js";

/** A container of the engine, with the methods of Docker's own API. */
export type EngineContainer = ReturnType<ContainerRuntimeClient["container"]["getById"]>;

/** A Docker engine that responds, and the package used to access it. */
export interface DockerEngine {
  readonly testcontainers: typeof Testcontainers;
  readonly client: ContainerRuntimeClient;
}

/**
 * Finds the engine as testcontainers does: `DOCKER_HOST`, else the usual sockets.
 *
 * @throws UnavailableError when the package `testcontainers` is not installed, when no engine
 * responds, or when the engine's ports are not on this host's loopback.
 */
export async function dockerEngine(): Promise<DockerEngine> {
  const testcontainers = await load();
  let client: ContainerRuntimeClient;
  try {
    client = await testcontainers.getContainerRuntimeClient();
  } catch (cause) {
    throw new UnavailableError("QUORATE_TESTING_NO_DOCKER", "no Docker engine responds", cause);
  }
  const { host } = client.info.containerRuntime;
  if (isThisHost(host)) return { testcontainers, client };
  const message = `the Docker engine is on another host (${host}), where its ports cannot be reached over 127.0.0.1`;
  throw new UnavailableError("QUORATE_TESTING_NO_DOCKER", message);
}

/** Why servers cannot come from Docker, or undefined if they can. */
export async function whyNoDocker(): Promise<string | undefined> {
  try {
    await dockerEngine();
    return undefined;
  } catch (error) {
    if (error instanceof UnavailableError) return error.message;
    throw error;
  }
}

/**
 * A caller in a container gets the engine's address as seen from containers. That is one of this
 * host's own addresses if the engine and the caller share a network, and another host's if only
 * the engine's socket is mounted into the container.
 */
function isThisHost(host: string): boolean {
  if (host === "localhost") return true;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.some(({ address }) => address === host);
}

/** Not a static import: with local servers, the package need not be installed. */
async function load(): Promise<typeof Testcontainers> {
  try {
    return await import("testcontainers");
  } catch (cause) {
    const message = `servers from Docker need the package testcontainers: npm install --save-dev testcontainers@11`;
    throw new UnavailableError("QUORATE_TESTING_NO_TESTCONTAINERS", message, cause);
  }
}
