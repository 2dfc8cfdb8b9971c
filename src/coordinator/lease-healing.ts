import type { Vote } from "../protocol/operation.js";
import type { Waiter } from "../protocol/waiter.js";
import type { Context } from "./context.js";
import type { Grant } from "./grant.js";
import { LeaseNodes } from "./lease-nodes.js";
import type { LeaseValidity } from "./lease-validity.js";
import type { VoteReceiver } from "./ports.js";

/** A lease whose missing keys are restored. */
export interface HealedLease {
  readonly state: "held" | "lost" | "released";
  isHeld(): boolean;
  /** The lock is lost: an operator has ended it. */
  onTaken(): void;
}

/** Restores the keys of a lease where they are missing and no other client's key is there. */
export class LeaseHealing implements VoteReceiver {
  /** When nodes without a complete key are repaired, lease clock, ms. */
  backfillAtMs: number;
  readonly #context: Context;
  readonly #validity: LeaseValidity;
  readonly #lease: HealedLease;
  readonly #nodes: LeaseNodes;
  /** Bit mask of the nodes that have notified us while we held the lock. */
  #turnsTaken = 0;

  constructor(context: Context, grant: Grant, validity: LeaseValidity, lease: HealedLease) {
    this.#context = context;
    this.#validity = validity;
    this.#lease = lease;
    this.#nodes = new LeaseNodes(context.nodes.length, grant.mayHold, grant.complete);
    // Stragglers have until the node deadline to complete the grant on their own.
    this.backfillAtMs = this.#nodes.isComplete
      ? Number.POSITIVE_INFINITY
      : grant.grantedAtMs + grant.settings.nodeTimeoutMs;
  }

  /** Bit mask of the nodes that may hold a key of ours. */
  get mayHold(): number {
    return this.#nodes.mayHold;
  }

  /** A straggler of the acquire or seal round: the node holds our key with the token stored. */
  onComplete(index: number): void {
    this.#nodes.add(index);
  }

  /** The vote on a heal, or on the acquire by a straggler with which nothing is wrong. */
  onVote(index: number, vote: Vote): void {
    if (vote.kind === "granted") this.onComplete(index);
    // One node suffices: an operator has ended the lock, whatever other nodes still hold.
    else if (vote.kind === "refused" && vote.reason === "ended") this.#lease.onTaken();
  }

  /** After a quorum matched in the vote's own round: restores the key where it is missing. */
  onExtendVote(index: number, vote: Vote): void {
    if (this.#nodes.needsHeal(index, vote)) this.#heal(index);
  }

  backfill(): void {
    this.backfillAtMs = Number.POSITIVE_INFINITY;
    for (let index = 0; index < this.#context.nodes.length; index++) {
      if (!this.#nodes.has(index)) this.#heal(index);
    }
  }

  /**
   * The node notifies this process although it holds the lock: it refused the acquire because the release reached it
   * only now. So it is healed rather than left waiting for us. Only once per node: no second notification can be
   * genuine, and messages must not decide how often we ask.
   */
  takeTurn(index: number, waiter: Waiter): void {
    const bit = 1 << index;
    if (this.#lease.state !== "held" || this.#nodes.has(index) || this.#turnsTaken & bit) return;
    this.#turnsTaken |= bit;
    this.#heal(index, waiter);
  }

  /** Only while held: a heal after the release would leave a key without an owner. */
  #heal(index: number, waiter?: Waiter): void {
    if (!this.#lease.isHeld()) return;
    const nowMs = this.#context.clock.now();
    const leftMs = this.#validity.keyLeftMs(nowMs);
    if (leftMs < 1) return;
    this.#nodes.mayHold |= 1 << index;
    const operation = this.#validity.operation("heal", leftMs, nowMs, waiter);
    this.#context.nodes[index]?.submit(operation, this, false);
  }
}
