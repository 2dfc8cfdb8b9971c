import type { WatchedRound, WatchedVote } from "../coordinator/watched-round.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { LockMessage, RoundMessage, RoundVote } from "./messages.js";

/** Identifies the lock. */
export function lockMessage({ name, names, mode }: LockKind): LockMessage {
  return { name, names, mode };
}

/** A round as it is published. */
export function roundMessage(round: WatchedRound, nodeNames: readonly string[]): RoundMessage {
  const { kind, keys, verdict, durationMs, votes } = round;
  const { name, names } = keys;
  return {
    // Other rounds are not observed.
    kind: kind as RoundMessage["kind"],
    ...{ name, names, verdict, durationMs },
    votes: votes.flatMap((vote, index) =>
      vote === undefined ? [] : [{ node: nodeNames[index] ?? "", ...partOf(vote) }],
    ),
  };
}

function partOf({ vote, ms }: WatchedVote): Omit<RoundVote, "node"> {
  if (vote === undefined) return { vote: "fault", fault: "timeout", ms };
  return vote.kind === "fault" ? { vote: "fault", fault: vote.fault, ms } : { vote: vote.kind, ms };
}
