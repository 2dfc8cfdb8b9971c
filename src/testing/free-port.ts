import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A cluster node also listens on its port + 10000; the range leaves room for that. */
const LOWEST = 10_000;
const CLUSTER_BUS_OFFSET = 10_000;

/**
 * Finds an unused port on 127.0.0.1.
 *
 * Ports are taken from below the kernel's range for the local ports of outgoing connections. A
 * server that is killed and restarted on its port must find it free again, and a client that keeps
 * dialling a dead port inside that range can even connect to itself.
 */
export async function findFreePort(): Promise<number> {
  const highest = ephemeralStart() - CLUSTER_BUS_OFFSET;
  const span = highest > LOWEST + 1000 ? highest - LOWEST : 40_000;
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * span);
    if (await isFree(port)) return port;
  }
  throw new Error("found no free port on 127.0.0.1");
}

/**
 * Waits until nothing listens on this port of 127.0.0.1.
 *
 * @throws Error after 5000 ms.
 */
export async function untilRefused(port: number): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (!(await accepts(port))) return;
    await sleep(10);
  }
  throw new Error(`something still listens on port ${port} of 127.0.0.1`);
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

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
