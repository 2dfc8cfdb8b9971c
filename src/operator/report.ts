import type { HolderReport, LockReport, NodeReport } from "../api/reports.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Vote } from "../protocol/operation.js";
import { agreedHolder, quorumSize } from "../protocol/quorum.js";
import { labelOf } from "../protocol/owner-id.js";
import { fingerprintOf } from "./fingerprint.js";
import { holdersFound, holdersIn, type FoundHolder } from "../kinds/holders.js";

/**
 * The report made of the votes of an inspect round.
 *
 * @param marginMs the largest clock margin on record
 */
export function reportOf(
  keys: LockKind,
  nodeNames: readonly string[],
  votes: readonly Vote[],
  marginMs: number,
): LockReport {
  const quorum = quorumSize(nodeNames.length);
  const holders = holdersFound(votes, keys).map((holder) =>
    holderReport(holder, nodeNames, marginMs),
  );
  const nodes = votes.map((vote, index) => nodeReport(nodeNames[index] ?? "", vote, keys));
  const agreed = agreedHolder(nodes.map(saidBy));
  const state = agreed === undefined ? "undecided" : agreed === null ? "free" : "held";
  const fences = nodes.flatMap(({ fence }) => fence ?? []);
  const agreedFence = fences.find(
    (fence) => fences.filter((other) => other === fence).length >= quorum,
  );
  return {
    name: keys.name,
    state,
    isQuorate: state !== "undecided",
    holders,
    waitingCount: Math.max(...nodes.map(({ waitingCount }) => waitingCount)),
    ...(agreedFence !== undefined && { fencingToken: agreedFence }),
    nodes,
  };
}

/** Its holders; undefined where it does not say. */
function saidBy({ state, fingerprints }: NodeReport): readonly string[] | undefined {
  return state === "held" || state === "free" || state === "turn" ? fingerprints : undefined;
}

export function holderReport(
  { ownerId, keys, remainingMs }: FoundHolder,
  nodeNames: readonly string[],
  marginMs: number,
): HolderReport {
  const label = labelOf(ownerId);
  const { mode, owner } = keys;
  const { numbers: permits } = keys.permits ?? {};
  const quorum = quorumSize(nodeNames.length);
  const leftMs = [...remainingMs.values()].toSorted((a, b) => b - a);
  const freeInMs = leftMs[quorum - 1] ?? leftMs[0] ?? 0;
  return {
    fingerprint: fingerprintOf(ownerId),
    ...(label !== undefined && { label }),
    mode,
    ...(owner !== undefined && { owner }),
    ...(permits !== undefined && { permit: permits[0] as number, permits }),
    remainingMs: Math.max(0, freeInMs - marginMs),
    freeInMs,
    nodes: nodeNames.filter((_, index) => remainingMs.has(index)),
    isQuorate: remainingMs.size >= quorum,
  };
}

function nodeReport(node: string, vote: Vote, keys: LockKind): NodeReport {
  const nothing = { node, fingerprints: [], freeInMs: 0, waitingCount: 0 };
  if (vote.kind === "fault") return { ...nothing, state: "unanswered", message: vote.message };
  if (vote.kind === "refused") {
    return { ...nothing, state: "foreign", message: vote.label ?? "unknown" };
  }
  const { snapshot } = vote;
  if (snapshot === undefined) return { ...nothing, state: "unanswered" };
  const { holder, remainingMs: freeInMs, waitingCount, fence } = snapshot;
  const holders = holdersIn(snapshot, keys);
  const isTurn = holder !== undefined && holders.length === 0;
  return {
    node,
    state: holders.length > 0 ? "held" : isTurn ? "turn" : "free",
    fingerprints: holders.map(({ ownerId }) => fingerprintOf(ownerId)),
    freeInMs,
    waitingCount,
    ...(fence !== undefined && { fence }),
  };
}
