/** A node's address as metric attributes. */
export interface NodeAddress {
  readonly "server.address": string;
  readonly "server.port"?: number;
}

/** Splits a node's name, usually `host:port`. Any other name is the address as a whole. */
export function nodeAddress(node: string): NodeAddress {
  const [, host = node, port] = /^(.+):(\d{1,5})$/.exec(node) ?? [];
  const address = host.replace(/^\[(.+)\]$/, "$1");
  return {
    "server.address": address,
    ...(port !== undefined && { "server.port": Number(port) }),
  };
}
