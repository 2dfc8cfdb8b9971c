import type { HandshakeReply, HandshakeRequest, PreviousConnection } from "./transport.js";

/**
 * Which connection the server must end before this one is used: bytes that it sent and the server has not read must
 * not be executed after ours. An id is meaningful only within the server run that assigned it, and even there it may
 * be somebody else's (a proxy's, or one told out of step): it is ended only if the server lists it under our name.
 */
export function connectionToEnd(
  { previous, connectionName }: HandshakeRequest,
  { runId }: Extract<HandshakeReply, { kind: "handshake" }>,
): PreviousConnection | undefined {
  const isOther = previous?.runId === runId && previous.name !== connectionName;
  return isOther ? previous : undefined;
}

/** The ids of the connections with that name in the reply to CLIENT LIST, one connection a line. */
export function idsNamed(name: string, list: string): string[] {
  return list.split("\n").flatMap((line) => {
    const fields = line.trim().split(" ");
    const id = fields.find((field) => field.startsWith("id="));
    return id !== undefined && fields.includes(`name=${name}`) ? id.slice("id=".length) : [];
  });
}
