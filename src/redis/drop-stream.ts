import { Socket } from "node:net";
import type { Duplex } from "node:stream";

/**
 * Closes a connection with a reset, not a farewell: bytes that have not left yet must not leave any
 * more.
 *
 * Not where our side has ended already (the other did, as a rule): no byte is left then, and the
 * kernel's refusal of a reset would make Node lose the handle, and spin for ever when the process
 * ends.
 */
export function dropStream(stream: Duplex): void {
  const isResettable =
    stream instanceof Socket && !stream.writableEnded && !("encrypted" in stream);
  if (isResettable) stream.resetAndDestroy();
  else stream.destroy();
}
