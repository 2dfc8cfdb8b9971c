import { createSocket, type Socket } from "node:dgram";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A cluster node also listens on its port + 10000; no other server gets a port from there. */
const LOWEST = 10_000;
const CLUSTER_BUS_OFFSET = 10_000;
const REFUSED_MS = 30_000;

/** A port that no other claim gets, in this process or another, until it is released. */
export interface PortClaim {
  readonly port: number;
  /** Idempotent. */
  release(): void;
}

/**
 * Claims an unused port on 127.0.0.1.
 *
 * Ports are taken from below the kernel's range for the local ports of outgoing connections. A
 * server that is killed and restarted on its port must find it free again, and a client that keeps
 * dialling a dead port inside that range can even connect to itself.
 *
 * For the same reason the claim lasts while nothing listens on the port: a server that another
 * process starts there meanwhile would answer the clients of the one that is down. The claim is a
 * UDP socket on the same port, because that disappears with its process, however it ends.
 *
 * @param nextPort the ports to try, one after the other
 */
export async function claimPort(nextPort: () => number = randomPort): Promise<PortClaim> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const claim = await claimOf(nextPort());
    if (claim === undefined) continue;
    if (await isFree(claim.port)) return claim;
    claim.release();
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

function randomPort(): number {
  const highest = Math.min(LOWEST + CLUSTER_BUS_OFFSET, ephemeralStart() - CLUSTER_BUS_OFFSET);
  const span = highest > LOWEST + 1000 ? highest - LOWEST : 40_000;
  return LOWEST + Math.floor(Math.random() * span);
}

/** Undefined if somebody else has claimed it. */
function claimOf(port: number): Promise<PortClaim | undefined> {
  return new Promise((resolve) => {
    const socket: Socket = createSocket("udp4");
    // A forgotten claim must not keep the host program from ending.
    socket.unref();
    let isReleased = false;
    const release = (): void => {
      if (!isReleased) socket.close();
      isReleased = true;
    };
    socket.once("error", () => {
      release();
      resolve(undefined);
    });
    socket.bind({ port, address: "127.0.0.1", exclusive: true }, () => resolve({ port, release }));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
