import type { History, HistoryEvent, Violation } from "./history.js";

/**
 * S4: a node changes or deletes a key only for the owner that stands in it. Where nobody stands,
 * only an acquire and a heal may put a key: an extend that did would prove a lease with a key that
 * was not there.
 */
export function checkOwnership({ events }: History): Violation[] {
  const violations: Violation[] = [];
  for (const event of events) {
    const message = breachOf(event);
    if (message !== undefined) violations.push({ id: "S4", atUs: event.atUs, message });
  }
  return violations;
}

function breachOf(event: HistoryEvent): string | undefined {
  if (event.kind !== "key" || event.by === undefined || event.before === event.by) return undefined;
  const { node, op, by, before } = event;
  if (before !== undefined) return `node ${node}: ${op} of ${by} touched the key of ${before}`;
  if (op === "acquire" || op === "heal") return undefined;
  return `node ${node}: ${op} of ${by} made a key where there was none`;
}
