import type { Operation, Vote } from "../protocol/operation.js";
import type { Context } from "./context.js";
import type { LeaseSettings } from "./lease-settings.js";
import { ALL_NODES } from "./node-sets.js";
import type { RoundWatcher } from "./observer.js";
import type { VoteReceiver } from "./ports.js";
import type { Round } from "./round.js";
import type { Sleeper } from "./schedule.js";

/**
 * How long after a round's deadline a watch ends, ms, after a stall too: the round may learn of its deadline a little
 * late.
 */
const AFTER_DEADLINE_MS = 5;

/** The receiver of a round's votes: the round itself, or a watch if anybody observes rounds. */
export function watched(
  context: Context,
  operation: Operation,
  settings: Pick<LeaseSettings, "nodeTimeoutMs">,
  round: Round,
  receiver: VoteReceiver = round,
  to = ALL_NODES,
): VoteReceiver {
  const watcher = context.observer.onRound?.(operation);
  if (watcher === undefined) return receiver;
  return new RoundWatch(context, watcher, operation, settings.nodeTimeoutMs, round, receiver, to);
}

/** Sees the votes of a round as they pass, and the verdict; changes neither. */
class RoundWatch implements VoteReceiver, Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;
  readonly graceMs = AFTER_DEADLINE_MS;
  readonly #context: Context;
  readonly #watcher: RoundWatcher;
  readonly #operation: Operation;
  readonly #round: Round;
  readonly #receiver: VoteReceiver;
  readonly #sentMs: number;
  /** By node index: how long it took. */
  readonly #tookMs: number[];
  /** Bit mask of the nodes that were asked, and that have answered. */
  readonly #asked: number;
  #answered = 0;
  #durationMs: number | undefined;
  #isOver = false;

  constructor(
    context: Context,
    watcher: RoundWatcher,
    operation: Operation,
    timeoutMs: number,
    round: Round,
    receiver: VoteReceiver,
    to: number,
  ) {
    this.#context = context;
    this.#watcher = watcher;
    this.#operation = operation;
    this.#round = round;
    this.#receiver = receiver;
    this.#sentMs = context.clock.now();
    this.#tookMs = context.nodes.map(() => timeoutMs);
    this.#asked = to & ((1 << context.nodes.length) - 1);
    context.schedule.set(this, this.#sentMs + timeoutMs + AFTER_DEADLINE_MS);
  }

  onVote(index: number, vote: Vote): void {
    this.#receiver.onVote(index, vote);
    const bit = 1 << index;
    if (this.#isOver || this.#answered & bit) return;
    this.#answered |= bit;
    this.#tookMs[index] = this.#passedMs;
    this.#note();
    if (this.#answered === this.#asked) this.#end();
  }

  /** Called by the schedule after the round's deadline. */
  wake(): void {
    this.#note();
    this.#end();
  }

  get #passedMs(): number {
    return this.#context.clock.now() - this.#sentMs;
  }

  #note(): void {
    if (this.#round.verdict !== "pending") this.#durationMs ??= this.#passedMs;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#context.schedule.remove(this);
    const found = this.#round.verdict;
    const { kind, keys } = this.#operation;
    this.#watcher({
      kind,
      keys,
      verdict: found === "pending" ? "abandoned" : found,
      durationMs: this.#durationMs ?? this.#passedMs,
      votes: this.#tookMs.map((ms, index) =>
        this.#asked & (1 << index) ? { vote: this.#round.votes[index], ms } : undefined,
      ),
    });
  }
}
