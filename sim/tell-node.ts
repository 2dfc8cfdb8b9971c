import type { HistoryEvent, NodeEvent } from "./oracles/history.js";

/** What else there is to say of it. */
export type NodeDetails = Pick<NodeEvent, "name" | "byMs" | "ratePpm">;

/** Records what happened to a node. */
export function tellNode(
  record: (event: HistoryEvent) => void,
  atUs: number,
  node: number,
  what: NodeEvent["what"],
  more: NodeDetails = {},
): void {
  record({ kind: "node", atUs, node, what, ...more });
}
