import { checkNodeList } from "./open-nodes.js";
import { hasTransport, type NodeConfig } from "./simulated-nodes.js";
import { clientsOf, type NodeClients } from "../redis/node-config.js";

export type { NodeClients } from "../redis/node-config.js";

/**
 * Addresses of all nodes for access without the lock protocol; nothing is connected yet.
 *
 * @throws TypeError or RangeError for bad nodes, naming the node and the value; TypeError for a node that is not a
 *   server.
 */
export function serverNodes(
  nodes: readonly NodeConfig[],
  connectTimeoutMs: number,
): readonly NodeClients[] {
  checkNodeList(nodes);
  return nodes.map((node, index) => {
    if (!hasTransport(node)) return clientsOf(node, index, connectTimeoutMs);
    throw new TypeError(`\`nodes[${index}]\` is in memory, and no server that can be looked at`);
  });
}
