import type { HandshakeReply, HandshakeRequest } from "./transport.js";

/**
 * Which connection the server must end before this one is used: bytes that it sent and the server has not read must
 * not be executed after ours. An id is meaningful only within the server run that assigned it.
 */
export function connectionToEnd(
  { previous }: HandshakeRequest,
  handshake: Extract<HandshakeReply, { kind: "handshake" }>,
): string | undefined {
  const isOther =
    previous?.runId === handshake.runId && previous.connectionId !== handshake.connectionId;
  return isOther ? previous.connectionId : undefined;
}
