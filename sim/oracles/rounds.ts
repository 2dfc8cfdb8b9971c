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
  /** Of these: the lease clock when what they granted was sent. */
  readonly sentMs: Map<number, number>;
  /** By node, all fences that it gave: a message may come after the reply to a later acquire of the same owner. */
  readonly fences: Map<number, Set<number>>;
}

type Beginning = Pick<
  SendEvent,
  "op" | "process" | "ownerId" | "name" | "ttlMs" | "leaseMs" | "atUs"
>;

/** Gathers rounds while a history is walked through. */
export class RoundLog {
  readonly rounds = new Map<number, SeenRound>();
  readonly byOwner = new Map<string, SeenRound[]>();
  /** By round: the lease clock at its first send. */
  readonly #sentMs = new Map<number, number>();

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
    this.#sentMs.set(round, leaseMs);
    const [begun] = op === "acquire" ? this.of(ownerId, op) : [];
    if (begun !== undefined) {
      this.rounds.set(round, begun);
      return;
    }
    this.rounds.set(round, this.#begin({ op, process, ownerId, name, ttlMs, leaseMs, atUs }));
  }

  #begin({ op, process, ownerId, name, ttlMs, leaseMs, atUs }: Beginning): SeenRound {
    const seen: SeenRound = {
      op,
      process,
      names: name.split(", "),
      ttlMs,
      firstSendMs: leaseMs,
      firstSendUs: atUs,
      granted: new Map(),
      sentMs: new Map(),
      fences: new Map(),
    };
    getOrAdd(this.byOwner, ownerId, () => []).push(seen);
    return seen;
  }

  /** Of several grants by one node the one that was asked for last counts: it proves the same for longer. */
  #onVote(event: VoteEvent): void {
    const { round, node, vote, fence, told, ownerId } = event;
    if (vote !== "granted") return;
    // A message is of no round; one that comes before the attempt has asked begins it.
    const [begun] = told === undefined ? [] : this.of(ownerId, "acquire");
    const seen =
      told === undefined
        ? this.rounds.get(round)
        : (begun ?? this.#begin({ ...event, ...told, leaseMs: told.sentMs, atUs: told.askedUs }));
    if (seen === undefined) return;
    getOrAdd(seen.fences, node, () => new Set()).add(fence);
    const sentMs = told?.sentMs ?? this.#sentMs.get(round) ?? seen.firstSendMs;
    if (sentMs <= (seen.sentMs.get(node) ?? Number.NEGATIVE_INFINITY)) return;
    seen.granted.set(node, fence);
    seen.sentMs.set(node, sentMs);
  }
}
