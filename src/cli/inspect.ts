import type { HolderReport, LockReport, NodeReport } from "../index.js";
import { defineCommand } from "./command.js";
import { withLocks } from "./connect.js";
import { durationText } from "./duration.js";
import { EXIT } from "./exit-codes.js";
import { printable, table, type Output } from "./output.js";

export const inspect = defineCommand({
  name: "inspect",
  summary: "Show who holds a name, node by node",
  synopsis: "NAME",
  words: { min: 1, max: 1, title: "one NAME" },
  options: {},
  notes: `
Asks all nodes once and changes nothing. Exits 0 if a quorum of nodes agrees that the name is held or
free, 69 if not. The result can be outdated by the time you read it.`,
  examples: ["quorate inspect nightly", "quorate inspect nightly --json | jq .holders"],
  async run(call) {
    const { words, output } = call;
    const report = await withLocks(
      call,
      { names: words },
      (locks) => locks.inspect(words[0] ?? ""),
      true,
    );
    if (output.isJson) output.json(report);
    else output.print(reportText(report, output));
    return report.isQuorate ? EXIT.ok : EXIT.unavailable;
  },
});

function reportText(report: LockReport, output: Output): string {
  const { name, state, holders, nodes, waitingCount, fencingToken } = report;
  const colour = state === "held" ? "yellow" : state === "free" ? "green" : "red";
  const token =
    fencingToken === undefined ? "" : `, token of the last grant ${fencingToken} at most`;
  const waiting = waitingCount === 0 ? "" : `, ${waitingCount} waiting`;
  const parts = [`${printable(name)} is ${output.style(colour, state)}${token}${waiting}`];
  const head = (cells: readonly string[]): readonly string[] =>
    cells.map((cell) => output.style("dim", cell));
  if (holders.length > 0) {
    const heading = head(["HOLDER", "FINGERPRINT", "MODE", "FREE IN", "NODES"]);
    parts.push(table([heading, ...holders.map((holder) => holderRow(holder, nodes.length))]));
  }
  parts.push(
    table([head(["NODE", "STATE", "FREE IN", "WAITING", "FENCE"]), ...nodes.map(nodeRow)]),
  );
  return parts.join("\n\n");
}

/** The cells of one holder; also used by `release`. */
export function holderRow(holder: HolderReport, nodeCount: number): readonly string[] {
  const { label = "(no label)", fingerprint, mode, owner, permit, freeInMs, nodes } = holder;
  const what = permit === undefined ? mode : `permit ${permit}`;
  const whose = owner === undefined ? "" : ` of ${printable(owner)}`;
  const votes = `${nodes.length} of ${nodeCount}${holder.isQuorate ? "" : ", no quorum"}`;
  return [printable(label), fingerprint, what + whose, durationText(freeInMs), votes];
}

function nodeRow(report: NodeReport): readonly string[] {
  const { node, state, freeInMs, waitingCount, fence, message } = report;
  const why = message === undefined ? "" : `: ${printable(message)}`;
  const left = state === "held" ? durationText(freeInMs) : "-";
  return [node, state + why, left, String(waitingCount), fence === undefined ? "-" : String(fence)];
}
