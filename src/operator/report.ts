import type { LockMode } from "../api/options.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Vote } from "../protocol/operation.js";
import { quorumSize } from "../protocol/verdict.js";
import { labelOf } from "../protocol/owner-id.js";
import { fingerprintOf } from "./fingerprint.js";
import { holdersFound, holdersIn, type FoundHolder } from "../kinds/holders.js";

/** A holder of a name on some node. */
export interface HolderReport {
  /** Tells holders apart, and is the same in every report; says nothing of the ownerId. */
  readonly fingerprint: string;
  /** What the holder calls itself, if it gave a label. */
  readonly label?: string;
  /** Several names that are locked together are each shown as `exclusive`, and so are permits. */
  readonly mode: LockMode;
  /** The owner, if one was given; each hold of an owner is shown separately. */
  readonly owner?: string;
  /** Which permit of a semaphore it is, from 0. */
  readonly permit?: number;
  /**
   * How much of its lease is left at least, ms: {@link HolderReport.freeInMs} without the largest clock margin
   * (`clockStepMs`) that a client of the nodes has on record.
   */
  readonly remainingMs: number;
  /** For how long a quorum of nodes keeps it unless it is renewed, ms; the longest without a quorum. */
  readonly freeInMs: number;
  /** The nodes on which it stands. */
  readonly nodes: readonly string[];
  /** Whether those are a quorum: without, it does not hold the lock, or no more. */
  readonly isQuorate: boolean;
}

/** One node's part in a {@link LockReport}. */
export interface NodeReport {
  /** `host:port` of the node, as configured. */
  readonly node: string;
  /**
   * - `held`: by those of `fingerprints`
   * - `free`: not held
   * - `turn`: not held, and reserved for a moment for a waiter
   * - `foreign`: the key holds data that is not a lock
   * - `unanswered`: nothing is known; `message` says why
   */
  readonly state: "held" | "free" | "turn" | "foreign" | "unanswered";
  readonly fingerprints: readonly string[];
  /** How long the node keeps the lock key unless it is renewed, ms; the reader's that lives longest. */
  readonly freeInMs: number;
  /** Processes in this node's queue. */
  readonly waitingCount: number;
  /** This node's fence, which the name may share with others: the token of the last grant, or above it. */
  readonly fence?: number;
  readonly message?: string;
}

/** Who holds a name, as far as the nodes say. Plain data: safe to log, to send, to keep. */
export interface LockReport {
  readonly name: string;
  /**
   * - `held`: a quorum of nodes agrees on one holder (or on at least one reader)
   * - `free`: a quorum of nodes reports that the name is free
   * - `undecided`: neither; nodes are missing, or the lock is just changing hands
   */
  readonly state: "held" | "free" | "undecided";
  /** Whether a quorum agrees: `state` is not `undecided`. */
  readonly isQuorate: boolean;
  /** All holders that were found on any node, those on most nodes first. */
  readonly holders: readonly HolderReport[];
  /** Waiting processes, by the longest queue; a process has one entry, for the first of its waiters. */
  readonly waitingCount: number;
  /**
   * No larger token was given for the name: the fence of a quorum of nodes, where they agree. It is the last
   * token, unless a name that shares the fence was locked later.
   */
  readonly fencingToken?: number;
  /** Node by node, in configured order. */
  readonly nodes: readonly NodeReport[];
}

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
  const freeCount = nodes.filter(({ state }) => state === "free" || state === "turn").length;
  const isHeld = holders.some(({ isQuorate }) => isQuorate);
  const state = isHeld ? "held" : freeCount >= quorum ? "free" : "undecided";
  const fences = nodes.flatMap(({ fence }) => fence ?? []);
  const agreed = fences.find((fence) => fences.filter((other) => other === fence).length >= quorum);
  return {
    name: keys.name,
    state,
    isQuorate: state !== "undecided",
    holders,
    waitingCount: Math.max(...nodes.map(({ waitingCount }) => waitingCount)),
    ...(agreed !== undefined && { fencingToken: agreed }),
    nodes,
  };
}

export function holderReport(
  { ownerId, keys, remainingMs }: FoundHolder,
  nodeNames: readonly string[],
  marginMs: number,
): HolderReport {
  const label = labelOf(ownerId);
  const { mode, owner } = keys;
  const permit = keys.slots?.slot;
  const quorum = quorumSize(nodeNames.length);
  const leftMs = [...remainingMs.values()].toSorted((a, b) => b - a);
  const freeInMs = leftMs[quorum - 1] ?? leftMs[0] ?? 0;
  return {
    fingerprint: fingerprintOf(ownerId),
    ...(label !== undefined && { label }),
    mode,
    ...(owner !== undefined && { owner }),
    ...(permit !== undefined && { permit }),
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
