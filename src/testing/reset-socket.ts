import type { Socket } from "node:net";

/**
 * Breaks a connection by a reset.
 *
 * Not if our side has ended already: the kernel may refuse the reset then, and Node.js would lose the handle and spin
 * forever when the process ends.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
