/** A node as attributes have it. */
export interface NodeAddress {
  readonly "server.address": string;
  readonly "server.port"?: number;
}

/** Of a node's name, which is `host:port` as a rule; of any other the name is the address. */
export function nodeAddress(node: string): NodeAddress {
  const [, host = node, port] = /^(.+):(\d{1,5})$/.exec(node) ?? [];
  const address = host.replace(/^\[(.+)\]$/, "$1");
  return {
    "server.address": address,
    ...(port !== undefined && { "server.port": Number(port) }),
  };
}
