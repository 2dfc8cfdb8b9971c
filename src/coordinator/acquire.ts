import { backoffMs } from "../protocol/backoff.js";
import type { NameKeys } from "../protocol/keys.js";
import { quorumSize } from "../protocol/verdict.js";
import { Attempt, type AttemptListener, type AttemptOutcome } from "./attempt.js";
import type { Context, LeaseSettings } from "./context.js";
import type { Timer } from "./ports.js";

export interface WaitSettings {
  /** How long to go on trying, ms; 0 for one attempt. */
  readonly waitMs: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
}

/** How an acquire ended: the last attempt's outcome, or the caller's (or the manager's) abort. */
export type AcquireOutcome = AttemptOutcome | { readonly kind: "aborted" };

/**
 * An acquire under way: attempts until one is granted, the wait is over, or it is aborted.
 *
 * The last attempt begins no later than `waitMs` after the start, so everything is settled
 * within `waitMs` and the node deadlines of one attempt (acquire and seal).
 */
export class Acquiring implements AttemptListener {
  attemptCount = 0;

  readonly #context: Context;
  readonly #keys: NameKeys;
  readonly #settings: LeaseSettings;
  readonly #wait: WaitSettings;
  readonly #settle: (outcome: AcquireOutcome, acquiring: Acquiring) => void;
  readonly #startedMs: number;
  #attempt: Attempt | undefined;
  #sleep: Timer | undefined;
  #isOver = false;

  /** @param settle is called once, never from within this constructor */
  constructor(
    context: Context,
    keys: NameKeys,
    settings: LeaseSettings,
    wait: WaitSettings,
    settle: (outcome: AcquireOutcome, acquiring: Acquiring) => void,
  ) {
    this.#context = context;
    this.#keys = keys;
    this.#settings = settings;
    this.#wait = wait;
    this.#settle = settle;
    this.#startedMs = context.clock.now();
    this.#try(this.#startedMs);
  }

  /** How long it has been trying, ms. */
  get waitedMs(): number {
    return this.#context.clock.now() - this.#startedMs;
  }

  /** Settles as `aborted` at once; what was sent is rolled back behind it. */
  abort(): void {
    if (this.#isOver) return;
    this.#sleep?.cancel();
    this.#attempt?.abort();
    this.#end({ kind: "aborted" });
  }

  /** Called by the attempt. */
  onOutcome(outcome: AttemptOutcome): void {
    if (outcome.kind === "granted") {
      this.#end(outcome);
      return;
    }
    const leftMs = this.#wait.waitMs - this.waitedMs;
    if (leftMs <= 0 || isHopeless(outcome.votes)) {
      this.#end(outcome);
      return;
    }
    const delayMs = backoffMs({
      attemptCount: this.attemptCount,
      minDelayMs: this.#wait.minDelayMs,
      maxDelayMs: this.#wait.maxDelayMs,
      quorumFreeInMs: outcome.quorumFreeInMs,
      unit: this.#context.entropy.unit(),
    });
    const { clock } = this.#context;
    this.#sleep = clock.setTimer(Math.min(delayMs, leftMs), () => this.#try(clock.now()));
  }

  #try(nowMs: number): void {
    if (this.#isOver) return;
    this.attemptCount++;
    this.#attempt = new Attempt(this.#context, this.#keys, this.#settings, nowMs, this);
  }

  #end(outcome: AcquireOutcome): void {
    this.#isOver = true;
    this.#settle(outcome, this);
  }
}

/**
 * Waiting changes nothing where so many nodes hold somebody's data under the key, or are set up
 * wrongly, that no quorum of the others is left.
 */
function isHopeless(votes: Extract<AttemptOutcome, { votes: unknown }>["votes"]): boolean {
  const hopeless = votes.filter(
    (vote) =>
      (vote?.kind === "refused" && vote.reason === "foreign") ||
      (vote?.kind === "fault" && vote.fault === "misconfigured"),
  );
  return hopeless.length > votes.length - quorumSize(votes.length);
}
