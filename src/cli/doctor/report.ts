import { quorumSize } from "../../protocol/quorum.js";
import { printable, table, type Output } from "../output.js";
import { milliseconds } from "./node-checks.js";
import type { DoctorSettings, Finding, FleetSeen, NodeSeen, Severity } from "./seen.js";
import { standingOf, VOTING, type Standing } from "./standing.js";

/** What `quorate doctor --json` prints. */
export interface DoctorReport {
  readonly quorum: {
    readonly nodeCount: number;
    /** Number of votes that a lock needs. */
    readonly size: number;
    /** Number of nodes that vote, as far as the doctor can see. */
    readonly votes: number;
  };
  readonly nodes: readonly NodeSummary[];
  readonly findings: readonly Finding[];
}

interface NodeSummary {
  readonly node: string;
  readonly kind: NodeSeen["kind"];
  readonly state: Standing["state"];
  readonly flavour?: string;
  readonly version?: string;
  readonly address?: string;
  readonly roundTripMs?: { readonly p50: number; readonly max: number };
  /** How far its clock is ahead of this machine's, ms. */
  readonly clockOffsetMs?: number;
}

export function doctorReport(
  fleet: FleetSeen,
  settings: DoctorSettings,
  findings: readonly Finding[],
): DoctorReport {
  const nodes = fleet.nodes.map((node) => summaryOf(node, standingOf(node, fleet, settings)));
  const votes = nodes.filter(({ state }) => VOTING.has(state)).length;
  const nodeCount = nodes.length;
  return { quorum: { nodeCount, size: quorumSize(nodeCount), votes }, nodes, findings };
}

function summaryOf(
  { node, kind, server, address, roundTripsMs, clock }: NodeSeen,
  { state }: Standing,
): NodeSummary {
  const sorted = roundTripsMs.toSorted((a, b) => a - b);
  const [p50, max] = [sorted[sorted.length >> 1], sorted.at(-1)].map((ms) => rounded(ms ?? 0));
  return {
    ...{ node, kind, state },
    ...(server && { flavour: server.flavour, version: server.version }),
    ...(address !== undefined && { address }),
    ...(sorted.length > 0 && { roundTripMs: { p50: p50 ?? 0, max: max ?? 0 } }),
    ...(clock && { clockOffsetMs: rounded(clock.offsetMs) }),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}

const STATES = {
  votes: "votes",
  new: "new, votes once a client has initialized it",
  waits: "new, waits for the other nodes",
  unkept: "votes",
  quarantined: "in quarantine",
  no: "does not vote",
} as const satisfies Record<Standing["state"], string>;

const COLOURS = { error: "red", warning: "yellow", note: "cyan" } as const;

/** The report as text. */
export function doctorText({ quorum, nodes, findings }: DoctorReport, output: Output): string {
  const heading = ["NODE", "SERVER", "STATE", "ROUND TRIP", "CLOCK"];
  const rows = [heading.map((cell) => output.style("dim", cell)), ...nodes.map(rowOf)];
  const { nodeCount, size, votes } = quorum;
  const summary = `${votes} of ${nodeCount} nodes vote, ${size} are needed.`;
  return [
    table(rows),
    ...findings.map((finding) => findingText(finding, output)),
    `${summary} ${countsText(findings)}`,
  ].join("\n\n");
}

function rowOf({
  node,
  state,
  flavour,
  version,
  roundTripMs,
  clockOffsetMs,
}: NodeSummary): string[] {
  const trip =
    roundTripMs && `${milliseconds(roundTripMs.p50)}, at most ${milliseconds(roundTripMs.max)}`;
  const clock =
    clockOffsetMs === undefined ? "-" : `${clockOffsetMs >= 0 ? "+" : ""}${clockOffsetMs} ms`;
  const server = printable([flavour, version].filter(Boolean).join(" "));
  return [node, server || "-", STATES[state], trip ?? "-", clock];
}

function findingText({ severity, node, code, saw, change }: Finding, output: Output): string {
  const about = node === undefined ? "" : `  ${node}`;
  const head = `${output.style(COLOURS[severity], severity)}  ${code}${about}`;
  return `${head}\n  saw     ${printable(saw)}\n  change  ${printable(change)}`;
}

export function countOf(findings: readonly Finding[], wanted: Severity): number {
  return findings.filter(({ severity }) => severity === wanted).length;
}

function countsText(findings: readonly Finding[]): string {
  if (findings.length === 0) return "Nothing to change.";
  const counts = (["error", "warning", "note"] as const).flatMap((severity) => {
    const count = countOf(findings, severity);
    return count === 0 ? [] : [`${count} ${severity}${count === 1 ? "" : "s"}`];
  });
  return `${counts.join(", ")}.`;
}
