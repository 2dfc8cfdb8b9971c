import type { HistoryEvent, NodeEvent } from "./oracles/history.js";

/** Records what happened to a node. */
export function tellNode(
  record: (event: HistoryEvent) => void,
  atUs: number,
  node: number,
  what: NodeEvent["what"],
  name?: string,
): void {
  record({ kind: "node", atUs, node, what, ...(name !== undefined && { name }) });
}
