import type { Clock } from "../coordinator/ports.js";
import type { RoundWatcher, WatchedRound } from "../coordinator/round.js";
import type { Operation, Vote } from "../protocol/operation.js";
import { CHANNELS } from "./channels.js";
import type { RoundMessage, RoundVote } from "./messages.js";

/** One round, from its send until its last vote or deadline, as published on `quorate:round`. */
export class RoundTrace implements RoundWatcher {
  readonly #operation: Operation;
  readonly #clock: Clock;
  readonly #nodeNames: readonly string[];
  readonly #startMs: number;
  /** By node index; undefined while it is silent. */
  readonly #tookMs: (number | undefined)[] = [];
  /** Until the verdict. */
  #durationMs: number | undefined;

  constructor(operation: Operation, clock: Clock, nodeNames: readonly string[]) {
    this.#operation = operation;
    this.#clock = clock;
    this.#nodeNames = nodeNames;
    this.#startMs = clock.now();
  }

  onAnswer(index: number, round: WatchedRound): void {
    const passedMs = this.#clock.now() - this.#startMs;
    this.#tookMs[index] = passedMs;
    if (round.verdict !== "pending") this.#durationMs ??= passedMs;
  }

  onEnd({ verdict, votes, asked, timeoutMs }: WatchedRound): void {
    const { kind, keys } = this.#operation;
    const message: RoundMessage = {
      // Other rounds are not observed.
      kind: kind as RoundMessage["kind"],
      ...{ name: keys.name, names: keys.names },
      verdict: verdict === "pending" ? "abandoned" : verdict,
      durationMs: this.#durationMs ?? this.#clock.now() - this.#startMs,
      votes: this.#nodeNames.flatMap((node, index) => {
        const isAsked = (asked & (1 << index)) !== 0;
        const ms = this.#tookMs[index] ?? timeoutMs;
        return isAsked ? [{ node, ...partOf(votes[index]), ms }] : [];
      }),
    };
    queueMicrotask(() => CHANNELS.round.publish(message));
  }
}

function partOf(vote: Vote | undefined): Pick<RoundVote, "vote" | "fault"> {
  if (vote === undefined) return { vote: "fault", fault: "timeout" };
  return vote.kind === "fault" ? { vote: "fault", fault: vote.fault } : { vote: vote.kind };
}
