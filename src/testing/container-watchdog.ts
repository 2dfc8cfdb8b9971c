import { setTimeout as sleep } from "node:timers/promises";
import { dockerEngine } from "./docker-engine.js";

/**
 * A program. Waits until its input ends, which happens when its parent ends, and then removes the
 * containers with the label given as its argument.
 */
const ROUNDS = 3;
const PAUSE_MS = 500;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
process.stdin.on("error", () => {});
process.stdin.once("close", () => void removeContainers(process.argv[2] ?? ""));
process.stdin.resume();

async function removeContainers(label: string): Promise<void> {
  const { client } = await dockerEngine();
  const { dockerode } = client.container;
  // More than once, because the engine may still be creating the parent's last container.
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) await sleep(PAUSE_MS);
    const found = await dockerode.listContainers({ all: true, filters: { label: [label] } });
    await Promise.allSettled(
      found.map(({ Id }) => dockerode.getContainer(Id).remove({ force: true, v: true })),
    );
  }
}
