import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A cluster node also listens on its port + 10000; no other server gets a port from there. */
const LOWEST = 10_000;
const CLUSTER_BUS_OFFSET = 10_000;
const REFUSED_MS = 30_000;

/** A port that no other process of this library takes until it is released, also while nothing listens on it. */
export interface ReservedPort {
  readonly port: number;
  /** Idempotent. The end of this process releases it, too. */
  release(): void;
}

/**
 * Finds an unused port on 127.0.0.1, and reserves it.
 *
 * Ports are taken from below the kernel's range for the local ports of outgoing connections. A
 * server that is killed and restarted on its port must find it free again, and a client that keeps
 * dialling a dead port inside that range can even connect to itself. For the same reasons the port
 * of a dead server must not go to a server of another process: clients would connect to that one.
 */
export async function reservePort(): Promise<ReservedPort> {
  const highest = Math.min(LOWEST + CLUSTER_BUS_OFFSET, ephemeralStart() - CLUSTER_BUS_OFFSET);
  const span = highest > LOWEST + 1000 ? highest - LOWEST : 40_000;
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * span);
    const reserved = await reserve(port);
    if (reserved === undefined) continue;
    if (await isFree(port)) return reserved;
    reserved.release();
  }
  throw new Error("found no free port on 127.0.0.1");
}

/**
 * Waits until nothing listens on this port of 127.0.0.1.
 *
 * @throws Error after 30,000 ms.
 */
export async function untilRefused(port: number): Promise<void> {
  const endMs = performance.now() + REFUSED_MS;
  while (await accepts(port)) {
    if (performance.now() > endMs) {
      throw new Error(`something still listens on port ${port} of 127.0.0.1`);
    }
    await sleep(10);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

function ephemeralStart(): number {
  try {
    const range = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8");
    return Number.parseInt(range, 10);
  } catch {
    // Not Linux: macOS and the BSDs use the range that IANA assigned.
    return 49_152;
  }
}

/**
 * Reserves the port by an abstract socket with its number as name: like ports, these belong to the network
 * namespace, and the kernel removes them with the process, however it ends. Only Linux has them; elsewhere
 * nothing is reserved.
 *
 * @returns undefined if the port is reserved already
 */
async function reserve(port: number): Promise<ReservedPort | undefined> {
  if (process.platform !== "linux") return { port, release: () => {} };
  const holder = createServer();
  // A server that was forgotten must not keep the host program from ending.
  holder.unref();
  const code = await listening(holder, { path: `\0quorate-testing-port-${port}` });
  if (code === "EADDRINUSE") return undefined;
  return { port, release: () => void (holder.listening && holder.close()) };
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  if ((await listening(probe, { port, host: "127.0.0.1" })) !== undefined) return false;
  await new Promise((resolve) => probe.close(resolve));
  return true;
}

/** Code of the error if it cannot listen there. */
function listening(
  server: Server,
  where: { path: string } | { port: number; host: string },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? "unknown"));
    server.listen(where, () => resolve(undefined));
  });
}
