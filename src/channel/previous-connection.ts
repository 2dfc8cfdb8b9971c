import type { HandshakeReply, HandshakeRequest } from "./transport.js";

/**
 * Which connection the server has to end before this one is used: what that one sent and the server has not
 * read must not run behind us. An id means something only within the run of the server that gave it.
 */
export function connectionToEnd(
  { previous }: HandshakeRequest,
  handshake: Extract<HandshakeReply, { kind: "handshake" }>,
): string | undefined {
  const isOther =
    previous?.runId === handshake.runId && previous.connectionId !== handshake.connectionId;
  return isOther ? previous.connectionId : undefined;
}
