import type { Violation } from "../../sim/oracles/history.js";
import type { ChaosRecord } from "../history/records.js";
import type { ShownViolation } from "./page-data.js";

const WINDOW_US = 150_000;
const MOST_LINES = 80;

/** The operations on the name (or by the owner) of a violation, before and after it. */
export function aroundOf(
  { atUs, message }: Violation,
  records: readonly ChaosRecord[],
): ShownViolation["around"] {
  const near = records.filter(
    (record) =>
      Math.abs(record.atUs - atUs) <= WINDOW_US &&
      (!("name" in record) || message.includes(record.name)),
  );
  const lines = near.flatMap((record) => {
    const text = textOf(record);
    const process = "process" in record ? record.process : "";
    return text === undefined ? [] : [[record.atUs / 1_000, process, text] as const];
  });
  // The violation is in the middle, and that is what matters.
  const from = Math.max(0, lines.findIndex(([at]) => at * 1_000 >= atUs) - MOST_LINES / 2);
  return lines.slice(from, from + MOST_LINES);
}

function textOf(record: ChaosRecord): string | undefined {
  switch (record.kind) {
    case "call":
      return `calls ${record.what}`;
    case "grant":
      return `is granted, token ${record.token}, ${record.leftMs.toFixed(1)} ms valid`;
    case "check":
      return `is told that it holds, ${record.leftMs.toFixed(1)} ms left`;
    case "sample":
      return `was renewed, ${record.leftMs.toFixed(1)} ms left`;
    case "lost":
      return `is told of the loss (${record.reason})`;
    case "store":
      return `${record.what} ${record.store} store, version ${record.base}, token ${record.token}`;
    case "process":
      return `process: ${record.what}`;
    case "stall":
      return `stalled for ${((record.untilUs - record.atUs) / 1_000).toFixed(0)} ms`;
    case "left":
      return `node ${record.node} still has its key`;
    case "settle":
    case "run":
    case "fault":
    case "phase":
      return undefined;
  }
}
