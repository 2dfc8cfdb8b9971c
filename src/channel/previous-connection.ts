import type { HandshakeRequest } from "./transport.js";

/**
 * Which connections the server must end before this one is used: bytes that the previous one sent and the server has
 * not read must not be executed after ours. Its id may be somebody else's (in another run of the server, behind a
 * proxy, told out of step), so only what the server lists under the name that we gave it is ended.
 *
 * @param list the reply to CLIENT LIST: a connection a line, for all connections or only for the one with its id
 * @returns their ids
 */
export function connectionsToEnd(
  { previous, connectionName }: Pick<HandshakeRequest, "previous" | "connectionName">,
  list: string,
): string[] {
  if (previous === undefined || previous.name === connectionName) return [];
  return idsNamed(previous.name, list);
}

function idsNamed(name: string, list: string): string[] {
  return list.split("\n").flatMap((line) => {
    const fields = line.trim().split(" ");
    const id = fields.find((field) => field.startsWith("id="));
    return id !== undefined && fields.includes(`name=${name}`) ? id.slice("id=".length) : [];
  });
}
