import type { History, Violation } from "./history.js";

/** S4: a node changes or deletes a key only for the owner that stands in it. */
export function checkOwnership({ events }: History): Violation[] {
  const violations: Violation[] = [];
  for (const event of events) {
    if (event.kind !== "key" || event.by === undefined || event.before === undefined) continue;
    if (event.before === event.by) continue;
    const message = `node ${event.node}: ${event.op} of ${event.by} touched the key of ${event.before}`;
    violations.push({ id: "S4", atUs: event.atUs, message });
  }
  return violations;
}
