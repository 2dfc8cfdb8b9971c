import type { LockKind } from "../protocol/lock-kind.js";
import type { AcquireOutcome } from "./pending-acquire.js";
import type { Context } from "./context.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { Pending } from "./local-competitors.js";
import { PendingAttempt } from "./pending-attempt.js";

/**
 * Takes a lock over that its holder, in another process, has given up for that: one attempt, in
 * which a node's vote counts only if the previous owner's key stood there until that very step.
 *
 * So of several who try, each node serves one, and at most one of them has a quorum; and who has it
 * knows that nobody else came between. Belief counts from this attempt's own first send. An
 * attempt that fails takes back what it took. Nothing is put back for the previous owner: its key where
 * there was none, or somebody else's since, would prove a lock that had a gap.
 */
export class TakeOver implements Pending {
  readonly keys: LockKind;
  readonly #settle: (outcome: AcquireOutcome, pendingTakeOver: TakeOver) => void;
  readonly #attempt: PendingAttempt;
  #isPreempted = false;
  #isOver = false;

  /**
   * @param giverId who gave the lock up. Its token is nothing that the nodes need to be told: it stands
   *   on a quorum, which has a node in common with the one that this attempt needs.
   * @param settle is called once, never from within this constructor
   */
  constructor(
    context: Context,
    keys: LockKind,
    settings: LeaseSettings,
    giverId: string,
    settle: (outcome: AcquireOutcome, pendingTakeOver: TakeOver) => void,
  ) {
    this.keys = keys;
    this.#settle = settle;
    const mode = { as: "takeOver", previousId: giverId } as const;
    const onOutcome = (outcome: AcquireOutcome): void => this.#end(outcome);
    const listener = { onOutcome };
    // What was given away runs out meanwhile.
    const entry = { urgency: "called" } as const;
    this.#attempt = new PendingAttempt(context, keys, settings, listener, mode, entry);
  }

  /** Whether it was aborted because somebody of this process steals the name. */
  get isPreempted(): boolean {
    return this.#isPreempted;
  }

  /** As if it had been granted, and preempted at once: there is only one attempt at an adoption. */
  yieldTo(lockKey: string): void {
    if (this.#isOver || !this.keys.lockKeys.includes(lockKey)) return;
    this.#isPreempted = true;
    this.abort();
  }

  /** Settles as `aborted` at once; what was sent is rolled back behind it. */
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
