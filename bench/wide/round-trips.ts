import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { openSockets } from "../raw-socket/fan-out.js";
import { encode } from "../raw-socket/commands.js";
import { medianOf } from "./network.js";

const PING = encode("PING");

/** Twice the average pause between two PINGs to a node, ms: PINGs must not be what keeps the machine busy. */
const PAUSE_MS = 60;

/**
 * Median round trip of a PING to each node, ms, over a plain socket that does nothing else: what the connection
 * really takes at that time, including the link and the node.
 */
export async function roundTripsOf(urls: readonly string[], durationMs: number): Promise<number[]> {
  const sockets = await openSockets(urls);
  const endMs = performance.now() + durationMs;
  try {
    return await Promise.all(sockets.map((socket) => roundTripOf(socket, endMs)));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function roundTripOf(socket: Socket, endMs: number): Promise<number> {
  const roundTripsMs: number[] = [];
  while (performance.now() < endMs) {
    // Random, so as not to be in step with the other nodes' PINGs.
    await sleep(Math.random() * PAUSE_MS);
    const fromMs = performance.now();
    socket.write(PING);
    await once(socket, "data");
    roundTripsMs.push(performance.now() - fromMs);
  }
  return medianOf(roundTripsMs);
}
