// Finds or starts a Docker engine with an image of Redis, for the tests that need one.
import { fileURLToPath } from "node:url";
import { answeringEngine, joinOwnEngine, leaveOwnEngine, ownEngine } from "./docker-engine.mjs";
import { ensureImage } from "./docker-image.mjs";
import { startOwnEngine } from "./docker-start.mjs";

// Not to stdout, which is for the tests.
const say = (line) => console.error(line);

/**
 * Resolves to true if servers can be started with Docker, and sets QUORATE_REDIS_IMAGE and, if needed, DOCKER_HOST
 * for child processes. Otherwise it prints one reason, sets QUORATE_NO_DOCKER to it, and resolves to false; it never
 * rejects.
 *
 * An engine is started only if QUORATE_DOCKER is "start", and stopped by `releaseDocker`.
 * If QUORATE_NO_DOCKER is set, it is the reason.
 */
export async function ensureDocker() {
  try {
    if (process.env.QUORATE_NO_DOCKER) throw new Error(process.env.QUORATE_NO_DOCKER);
    const engine = await findEngine();
    const image = await ensureImage(say);
    process.env.QUORATE_REDIS_IMAGE = image;
    say(`docker: using ${engine} and the image ${image}`);
    return true;
  } catch (error) {
    process.env.QUORATE_NO_DOCKER = error.message;
    say(`docker: tests with containers will be skipped: ${error.message}`);
    return false;
  }
}

/** Stops the engine if a run of these scripts started it and no other run uses it. */
export async function releaseDocker() {
  await leaveOwnEngine(say);
}

async function findEngine() {
  const found = answeringEngine();
  if (found.name !== undefined) return found.name;
  if (process.env.DOCKER_HOST) {
    throw new Error(`no engine answers at DOCKER_HOST, ${process.env.DOCKER_HOST}`);
  }
  if (!(await ownEngine.answers())) {
    if (process.env.QUORATE_DOCKER !== "start") {
      throw new Error(`${found.reason} (QUORATE_DOCKER=start brings an engine up, as root)`);
    }
    await startOwnEngine(say);
  }
  joinOwnEngine();
  process.env.DOCKER_HOST = `unix://${ownEngine.socket}`;
  // If this is itself a container, testcontainers would look for the engine outside of it.
  process.env.TESTCONTAINERS_HOST_OVERRIDE = "localhost";
  return "an engine of its own";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Shows what it would do; an engine that it started is stopped at the end.
  process.exitCode = (await ensureDocker()) ? 0 : 1;
  await releaseDocker();
}
