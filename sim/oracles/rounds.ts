import { getOrAdd } from "./get-or-add.js";
import type { HistoryEvent, OperationName, SendEvent, VoteEvent } from "./history.js";

/** One round as its history shows it so far. The rounds of one attempt, which asks nodes that refused again, are one. */
export interface SeenRound {
  readonly op: OperationName;
  readonly process: string;
  /** What it is about: of a set all of its names. */
  readonly names: readonly string[];
  readonly ttlMs: number;
  /** Lease clock at its first send. */
  readonly firstSendMs: number;
  readonly firstSendUs: number;
  /** Nodes that granted, with their fences. */
  readonly granted: Map<number, number>;
}

/** Gathers rounds while a history is walked through. */
export class RoundLog {
  readonly rounds = new Map<number, SeenRound>();
  readonly byOwner = new Map<string, SeenRound[]>();

  see(event: HistoryEvent): void {
    if (event.kind === "send") this.#onSend(event);
    else if (event.kind === "vote") this.#onVote(event);
  }

  of(ownerId: string, op: OperationName): SeenRound[] {
    return (this.byOwner.get(ownerId) ?? []).filter((round) => round.op === op);
  }

  #onSend({ round, op, process, ownerId, name, ttlMs, leaseMs, atUs }: SendEvent): void {
    // Releases and heals prove nothing, and there are many of them.
    if (op === "release" || op === "heal" || this.rounds.has(round)) return;
    const [begun] = op === "acquire" ? this.of(ownerId, op) : [];
    if (begun !== undefined) {
      this.rounds.set(round, begun);
      return;
    }
    const seen: SeenRound = {
      op,
      process,
      names: name.split(", "),
      ttlMs,
      firstSendMs: leaseMs,
      firstSendUs: atUs,
      granted: new Map(),
    };
    this.rounds.set(round, seen);
    getOrAdd(this.byOwner, ownerId, () => []).push(seen);
  }

  /** A second grant by one node changes nothing: the first counts. */
  #onVote({ round, node, vote, fence }: VoteEvent): void {
    if (vote !== "granted") return;
    const seen = this.rounds.get(round);
    if (seen !== undefined && !seen.granted.has(node)) seen.granted.set(node, fence);
  }
}
