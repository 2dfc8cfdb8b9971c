import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { openSockets } from "../raw-socket/fan-out.js";
import { encode } from "../raw-socket/commands.js";
import { medianOf } from "./network.js";

const PING = encode("PING");

/**
 * Median round trip of a PING to each node, ms, by a plain socket that does nothing else: what the line really takes,
 * the link and the node included.
 */
export async function roundTripsOf(urls: readonly string[], pingCount: number): Promise<number[]> {
  const sockets = await openSockets(urls);
  try {
    return await Promise.all(sockets.map((socket) => roundTripOf(socket, pingCount)));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function roundTripOf(socket: Socket, pingCount: number): Promise<number> {
  const roundTripsMs: number[] = [];
  for (let count = 0; count < pingCount; count++) {
    // Not in step with the other nodes' PINGs: each is alone on the machine, mostly.
    await sleep(Math.random() * 20);
    const fromMs = performance.now();
    socket.write(PING);
    await once(socket, "data");
    roundTripsMs.push(performance.now() - fromMs);
  }
  return medianOf(roundTripsMs);
}
