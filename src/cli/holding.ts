import type { LockReport } from "../index.js";
import { fenceAfter } from "../protocol/fencing.js";
import { quorumSize } from "../protocol/quorum.js";

/** Whether a lock is still held: what `quorate held` asks. */
export interface HoldingQuestion {
  readonly name: string;
  readonly token: number;
  /** Of the holder; without it, the token alone must identify it. */
  readonly fingerprint?: string | undefined;
}

export interface HoldingAnswer {
  /** Whether a quorum of nodes answered. */
  readonly isKnown: boolean;
  readonly isHeld: boolean;
}

/** Asks the nodes. */
export async function askNodes(
  locks: { inspect(name: string): Promise<LockReport> },
  question: HoldingQuestion,
): Promise<HoldingAnswer> {
  const report = await locks.inspect(question.name);
  const answers = report.nodes.filter(({ state }) => state !== "unanswered").length;
  const isKnown = answers >= quorumSize(report.nodes.length);
  return { isKnown, isHeld: isKnown && holds(report, question) };
}

function holds(report: LockReport, { token, fingerprint }: HoldingQuestion): boolean {
  const holders = report.holders.filter(({ isQuorate }) => isQuorate);
  if (fingerprint !== undefined)
    return holders.some((holder) => holder.fingerprint === fingerprint);
  // A lock that is passed on within its process counts on from its fence.
  const { fencingToken: fence = Number.NaN } = report;
  return holders.length > 0 && token >= fence && token < fenceAfter(fence);
}
