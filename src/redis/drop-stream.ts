import { Cluster, type Redis } from "ioredis";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

/**
 * Closes a connection with a reset instead of a normal close: bytes that have not left yet must not be sent any more.
 *
 * Not if our side has already ended (usually because the other side did): no bytes are left then, and if the kernel
 * refused the reset, Node.js would lose the handle and spin forever at exit.
 */
export function dropStream(stream: Duplex): void {
  const isResettable =
    stream instanceof Socket && !stream.writableEnded && !("encrypted" in stream);
  try {
    if (isResettable) return void stream.resetAndDestroy();
  } catch {
    // A Unix socket has no reset. Nothing of it is under way: what was written, the server has.
  }
  stream.destroy();
}

/**
 * Closes the connections of a client at once. ioredis would ask the server to close them, and wait for that with a timer
 * that keeps the process alive for 2 s, also where the server does not answer, or has closed them before.
 */
export function dropClient(client: Redis | Cluster): void {
  if (client instanceof Cluster) client.nodes().forEach(dropClient);
  else if (client.status === "end") return;
  else if (client.stream !== undefined) dropStream(client.stream);
  client.disconnect();
}
