import type { LockKind } from "../protocol/lock-kind.js";
import type { AcquireOutcome } from "./acquire.js";
import type { Context } from "./context.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { Pending } from "./local-competitors.js";
import { PendingAttempt } from "./pending-attempt.js";

/**
 * Takes over a lock that its holder in another process has given up for it: one attempt, in which a node's vote
 * counts only if the previous owner's key was still there at that step.
 *
 * Each node thus serves one of several contenders, and at most one reaches a quorum; it then knows that no other
 * client held the lock in between. Its validity counts from this attempt's own first send. A failed attempt rolls
 * back what it took. Nothing is restored for the previous owner: a restored key would prove a lock that had a gap.
 */
export class Adoption implements Pending {
  readonly keys: LockKind;
  readonly #settle: (outcome: AcquireOutcome, pendingAdoption: Adoption) => void;
  readonly #attempt: PendingAttempt;
  #isPreempted = false;
  #isOver = false;

  /**
   * @param giverId the owner that gave the lock up. The nodes need not be sent its token: it is stored on a quorum,
   *   which shares a node with the one that this attempt needs.
   * @param settle is called once, never from within this constructor
   */
  constructor(
    context: Context,
    keys: LockKind,
    settings: LeaseSettings,
    giverId: string,
    settle: (outcome: AcquireOutcome, pendingAdoption: Adoption) => void,
  ) {
    this.keys = keys;
    this.#settle = settle;
    const mode = { as: "adoption", previousId: giverId } as const;
    const onOutcome = (outcome: AcquireOutcome): void => this.#end(outcome);
    const listener = { onOutcome };
    // The lock that was given up expires meanwhile.
    const entry = { urgency: "called" } as const;
    this.#attempt = new PendingAttempt(context, keys, settings, listener, mode, entry);
  }

  /** Whether it was aborted because another request of this process steals the name. */
  get isPreempted(): boolean {
    return this.#isPreempted;
  }

  /** As if it had been granted and preempted immediately: an adoption has only one attempt. */
  yieldTo(lockKey: string): void {
    if (this.#isOver || !this.keys.lockKeys.includes(lockKey)) return;
    this.#isPreempted = true;
    this.abort();
  }

  /** Settles as `aborted` immediately; what was sent is rolled back afterwards. */
  abort(): void {
    if (this.#isOver) return;
    this.#attempt.abort();
    this.#end({ kind: "aborted" });
  }

  #end(outcome: AcquireOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle(outcome, this);
  }
}
