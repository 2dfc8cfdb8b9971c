import type { Context } from "../coordinator/context.js";
import { inspect, revoke, type RevokeSettings } from "../coordinator/revoke.js";
import { fenceAbove, holdersFound } from "../kinds/holders.js";
import { QuorumUnreachableError } from "../api/errors.js";
import { ForeignKeyError } from "../api/node-errors.js";
import { nodeVotes } from "../api/tally.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Vote } from "../protocol/operation.js";
import { quorumSize } from "../protocol/quorum.js";
import type { ForceReleaseOptions, ForceReleaseResult } from "../api/reports.js";
import { checkKnown, string } from "../runtime/validate.js";
import { fingerprintOf } from "./fingerprint.js";
import { holderReport } from "./report.js";

/**
 * Two rounds: one reads, one removes the holders found. So a holder that came after the first is never removed, and
 * each node compares and deletes in one step, as in every release.
 *
 * @throws TypeError for an unknown option or a value that is not a string; NoQuorumError if no quorum answered the first round, ForeignKeyError if a key holds foreign data
 *   on any node; nothing has been changed then
 */
export async function forceRelease(
  context: Context,
  keys: LockKind,
  nodeNames: readonly string[],
  own: RevokeSettings,
  options: ForceReleaseOptions,
): Promise<ForceReleaseResult> {
  checkKnown(options, ["fingerprint"]);
  const { fingerprint } = options;
  if ("fingerprint" in options) checkFingerprint(fingerprint);
  const quorum = quorumSize(nodeNames.length);
  const seen = await inspect(context, keys, own.nodeTimeoutMs);
  checkSeen(keys, nodeNames, seen, quorum);
  const holders = holdersFound(seen, keys).filter((holder) => {
    return fingerprint === undefined || fingerprintOf(holder.ownerId) === fingerprint;
  });
  const fence = fenceAbove(seen);
  const settings = { ...own, ...longestOf(seen, own) };
  const votes = await Promise.all(
    holders.map((holder) => revoke(context, keys, holder, fence, settings)),
  );
  const nodes = nodeNames.filter((_, index) => votes.every((of) => of[index]?.kind !== "fault"));
  const isRemoved = (at: number): boolean =>
    votes[at]?.some(({ kind }) => kind === "granted") === true;
  const removed = holders
    .filter((_, at) => isRemoved(at))
    .map((holder) => holderReport(holder, nodeNames, settings.clockStepMs));
  return { name: keys.name, removed, nodes, isQuorate: nodes.length >= quorum };
}

/** What counts for the locks of all clients: a lock's quorum has it on record, and shares a node with those that answered. */
function longestOf(
  seen: readonly Vote[],
  own: RevokeSettings,
): Pick<RevokeSettings, "maxTtlMs" | "clockStepMs"> {
  const all = seen.flatMap((vote) => (vote.kind === "granted" && vote.snapshot?.longest) || []);
  return {
    maxTtlMs: Math.max(own.maxTtlMs, ...all.map(({ maxTtlMs }) => maxTtlMs)),
    clockStepMs: Math.max(own.clockStepMs, ...all.map(({ clockStepMs }) => clockStepMs)),
  };
}

/** Whoever passes on what an inspection has not found wants to end nobody, not everybody. */
function checkFingerprint(fingerprint: unknown): void {
  if (fingerprint === undefined) {
    throw new TypeError(
      "`fingerprint` must be a string, got undefined, as where nobody holds the name. To end whoever holds it, leave the option out",
    );
  }
  string("fingerprint", fingerprint);
}

function checkSeen(
  { name, lockKey }: LockKind,
  nodeNames: readonly string[],
  seen: readonly Vote[],
  quorum: number,
): void {
  const foreign = seen.find((vote) => vote.kind === "refused");
  if (foreign?.kind === "refused") {
    throw new ForeignKeyError(
      name,
      lockKey,
      foreign.label ?? "unknown",
      nodeVotes(nodeNames, seen),
    );
  }
  const seenCount = seen.filter(({ kind }) => kind === "granted").length;
  if (seenCount < quorum) throw new QuorumUnreachableError(name, nodeVotes(nodeNames, seen));
}
