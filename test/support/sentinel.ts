import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { claimPort } from "../../src/testing/free-port.js";
import { findRedisBinary } from "../../src/testing/redis-binary.js";
import { eventually } from "./settle.js";

export interface Sentinel extends AsyncDisposable {
  readonly port: number;
}

/** A Sentinel that watches one master on this machine. */
export async function startSentinel(name: string, masterPort: number): Promise<Sentinel> {
  const claim = await claimPort();
  const { port } = claim;
  const dir = await mkdtemp(join(tmpdir(), "quorate-sentinel-"));
  const config = join(dir, "sentinel.conf");
  const lines = [
    `port ${port}`,
    `dir ${dir}`,
    `sentinel monitor ${name} 127.0.0.1 ${masterPort} 1`,
  ];
  await writeFile(config, lines.join("\n"));
  const child = spawn(findRedisBinary(), [config, "--sentinel"], { stdio: "ignore" });
  const client = new Redis({ port, lazyConnect: true, retryStrategy: null });
  client.on("error", () => {});
  await eventually("the Sentinel answers", async () => {
    const isOpen = await client.connect().then(
      () => true,
      () => false,
    );
    client.disconnect();
    return isOpen;
  });
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      claim.release();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
