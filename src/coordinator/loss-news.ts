import { beginningOf } from "../protocol/owner-id.js";
import { Allowance } from "./allowance.js";
import type { Clock, InboxPort } from "./ports.js";

/** Anybody who may publish can write messages: they must not decide how often the nodes are asked. */
const MAX_VERIFICATIONS_A_SECOND = 20;

/** A lease that can find out whether it is still held. */
export interface Verifiable {
  readonly ownerId: string;
  /** Asks the nodes, as soon as it may. */
  verify(): void;
}

/**
 * News of the loss of locks: a node that ends a lock, because another client steals it or an operator releases it, tells
 * the process that the ownerId names. That is only a reason to ask the nodes now instead of at the next renewal.
 *
 * Only for locks that were renewed: those that are released before cost nothing.
 */
export class LossNews {
  readonly #clock: Clock;
  readonly #inbox: InboxPort | undefined;
  /** By the beginning of the ownerId. Where two begin alike, the earlier one finds out at its next renewal. */
  readonly #leases = new Map<string, Verifiable>();
  readonly #allowance = new Allowance(MAX_VERIFICATIONS_A_SECOND);

  /** @param inbox undefined where there are no messages */
  constructor(clock: Clock, inbox: InboxPort | undefined) {
    this.#clock = clock;
    this.#inbox = inbox;
  }

  /** From now on it is told. */
  add(lease: Verifiable): void {
    if (this.#inbox === undefined) return;
    this.#leases.set(beginningOf(lease.ownerId), lease);
    this.#inbox.listen();
  }

  delete(lease: Verifiable): void {
    if (this.#leases.size === 0) return;
    const beginning = beginningOf(lease.ownerId);
    if (this.#leases.get(beginning) === lease) this.#leases.delete(beginning);
  }

  /** A node, or another client in its name, says that a lock has ended. */
  onLoss(beginning: string): void {
    this.#leases.get(beginning)?.verify();
  }

  /** Whether the nodes may be asked once more. */
  mayVerify(): boolean {
    return this.#allowance.take(this.#clock.now());
  }
}
