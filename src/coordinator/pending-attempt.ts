import type { NameKeys } from "../protocol/keys.js";
import type { Entrant, Urgency } from "./admission.js";
import { Attempt, type AttemptListener, type AttemptOutcome, type Place } from "./attempt.js";
import type { Context, LeaseSettings } from "./context.js";
import type { Sleeper } from "./schedule.js";

export interface PendingAttemptListener extends AttemptListener {
  /** Right before the first send, perhaps from within the constructor. False calls it off. */
  onBegin?(nowMs: number): boolean;
}

export interface Entry {
  readonly urgency?: Urgency;
  /** Lease clock, ms: if it has not begun by then it never will, and fails as `queued`. */
  readonly beginUntilMs?: number;
}

/** An attempt from the moment in which it is wanted: it begins when it is admitted. */
export class PendingAttempt implements Entrant, AttemptListener, Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;

  readonly #context: Context;
  readonly #keys: NameKeys;
  readonly #settings: LeaseSettings;
  readonly #listener: PendingAttemptListener;
  readonly #place: Place | undefined;
  #attempt: Attempt | undefined;
  #beganMs: number | undefined;
  #isOver = false;

  constructor(
    context: Context,
    keys: NameKeys,
    settings: LeaseSettings,
    listener: PendingAttemptListener,
    place?: Place,
    { urgency = "plain", beginUntilMs = Number.POSITIVE_INFINITY }: Entry = {},
  ) {
    this.#context = context;
    this.#keys = keys;
    this.#settings = settings;
    this.#listener = listener;
    this.#place = place;
    context.admission.enter(this, urgency);
    if (!this.hasBegun && beginUntilMs < Number.POSITIVE_INFINITY) {
      context.schedule.set(this, beginUntilMs);
    }
  }

  /** Nodes have been asked, or it was called off at that moment. */
  get hasBegun(): boolean {
    return this.#beganMs !== undefined;
  }

  /** Called by the admission. The first send is now, not when the attempt was wanted. */
  begin(): void {
    const { clock, schedule } = this.#context;
    schedule.remove(this);
    const nowMs = clock.now();
    this.#beganMs = nowMs;
    if (this.#listener.onBegin?.(nowMs) === false) this.abort();
    if (this.#isOver) return;
    const [context, keys, settings, place] = [
      this.#context,
      this.#keys,
      this.#settings,
      this.#place,
    ];
    this.#attempt = new Attempt(context, keys, settings, nowMs, this, place);
  }

  /** Nodes keep the name for it now. */
  hurry(): void {
    if (!this.hasBegun && !this.#isOver) this.#context.admission.hurry(this);
  }

  /** Gives up: takes back what was sent, and never settles. Without effect once settled. */
  abort(): void {
    if (this.#isOver) return;
    this.#attempt?.abort();
    this.#end("aborted");
  }

  /** Called by the attempt. */
  onOutcome(outcome: AttemptOutcome): void {
    this.#end(outcome.kind === "unreachable" ? "unanswered" : "answered");
    this.#listener.onOutcome(outcome);
  }

  /** Called by the schedule: it is too late to begin. */
  wake(): void {
    if (this.#isOver || this.hasBegun) return;
    this.#end("aborted");
    const votes = this.#context.nodes.map(() => undefined);
    const quorumFreeInMs = Number.POSITIVE_INFINITY;
    this.#listener.onOutcome({ kind: "queued", votes, quorumFreeInMs });
  }

  #end(how: "answered" | "unanswered" | "aborted"): void {
    this.#isOver = true;
    this.#context.schedule.remove(this);
    const { admission } = this.#context;
    if (this.#beganMs === undefined) admission.leave(this);
    else admission.onEnd(how, this.#beganMs, this.#settings.nodeTimeoutMs);
  }
}
