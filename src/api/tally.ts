import { detailOf } from "./error-text.js";
import type { FaultKind, Votes } from "../protocol/operation.js";
import { quorumSize } from "../protocol/quorum.js";

/** One node's part in a failure. */
export interface NodeVote {
  /** `host:port` of the node, as configured. */
  readonly node: string;
  /** `none`: it had not answered when the outcome was decided. */
  readonly vote: "granted" | "refused" | "fault" | "none";
  /** Why a fault is one. */
  readonly fault?: FaultKind;
  /** The holder's label, where a node refused and the holder gave one. */
  readonly label?: string;
  /** Where a node refused because of readers, whom no label names. */
  readonly holderMode?: "shared";
  /** Where a node refused a permit: how many of them are taken there. */
  readonly takenPermits?: number;
  /** How long that node keeps the holder's key, ms, unless it is renewed; the reader's that lives longest. */
  readonly freeInMs?: number;
  /** The fault in words. */
  readonly message?: string;
}

/** Votes by node index as errors show them. */
export function nodeVotes(names: readonly string[], votes: Votes): NodeVote[] {
  return names.map((node, index) => {
    const vote = votes[index];
    if (vote === undefined) return { node, vote: "none" };
    if (vote.kind === "granted") return { node, vote: "granted" };
    if (vote.kind === "fault") {
      return { node, vote: "fault", fault: vote.fault, message: vote.message };
    }
    const label = vote.label === undefined ? {} : { label: vote.label };
    const mode = vote.isShared === true ? ({ holderMode: "shared" } as const) : {};
    const { remainingMs: freeInMs, takenPermits } = vote;
    const taken = takenPermits === undefined ? {} : { takenPermits };
    return { node, vote: "refused", freeInMs, ...label, ...mode, ...taken };
  });
}

const FAULT_TEXT: Readonly<Record<FaultKind, string>> = {
  timeout: "timed out",
  late: "not sent in time",
  disconnected: "disconnected",
  suspected: "not answering",
  quarantined: "quarantined",
  misconfigured: "misconfigured",
  implausible: "with an implausible fence",
  server: "failed",
  closed: "closed",
};

/** Whether only nodes that were not waited for keep the outcome open: none has a fault, and no quorum agrees. */
export function isOpenBySilence(votes: readonly NodeVote[]): boolean {
  const mostCount = Math.max(countOf(votes, "granted"), countOf(votes, "refused"));
  const isAgreed = mostCount >= quorumSize(votes.length);
  return countOf(votes, "none") > 0 && countOf(votes, "fault") === 0 && !isAgreed;
}

function countOf(votes: readonly NodeVote[], wanted: NodeVote["vote"]): number {
  return votes.filter(({ vote }) => vote === wanted).length;
}

/** `2/5 granted, 1 refused, 2 timed out` */
export function tallyText(votes: readonly NodeVote[]): string {
  const counts = new Map<string, number>();
  for (const { vote, fault } of votes) {
    if (vote === "granted" || vote === "none") continue;
    const word = fault === undefined ? "refused" : FAULT_TEXT[fault];
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  // Elsewhere they say nothing about the outcome.
  if (isOpenBySilence(votes)) counts.set("not waited for", countOf(votes, "none"));
  const rest = [...counts].map(([word, count]) => `${count} ${word}`);
  return [`${countOf(votes, "granted")}/${votes.length} granted`, ...rest].join(", ");
}

/** The text of the first fault: usually the others are the same. */
export function firstFault(votes: readonly NodeVote[]): string {
  const first = votes.find(({ message }) => message !== undefined);
  return first === undefined ? "" : ` (${detailOf(first.node, first.message ?? "")})`;
}

/** The one that most nodes name. */
export function commonLabel(votes: readonly NodeVote[]): string | undefined {
  const labels = votes.flatMap(({ label }) => label ?? []);
  const count = (label: string): number => labels.filter((other) => other === label).length;
  return labels.toSorted((a, b) => count(b) - count(a))[0];
}
