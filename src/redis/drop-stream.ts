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
  if (isResettable) stream.resetAndDestroy();
  else stream.destroy();
}
