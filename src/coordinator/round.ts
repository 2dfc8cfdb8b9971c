import { faultVote, type Operation, type Vote } from "../protocol/operation.js";
import { isReasonKnown, verdict, type Tally, type Verdict } from "../protocol/verdict.js";
import type { NodePort, VoteReceiver } from "./ports.js";
import type { Schedule, Sleeper } from "./schedule.js";

/** What a round tells its owner, from within the vote (or the deadline) that caused it. */
export interface RoundListener {
  /** The round is lost; {@link RoundListener.onVerdict} gives the reason, now or a little later. */
  onLost?(round: Round): void;
  /**
   * Exactly once: the round is won, or it is lost and the reason is known, so contention is never mistaken for
   * silence. Every vote counted so far is in `round.votes`.
   */
  onVerdict(round: Round): void;
  /** A vote that arrived after the verdict or after its node's deadline. */
  onStraggler?(index: number, vote: Vote, round: Round): void;
}

/**
 * One operation fanned out to all nodes in parallel.
 *
 * The verdict falls as soon as it can and is final; nodes still silent at the deadline count as faults. A timeout
 * means "unknown", never "no": the operation may still take effect, so a failed attempt must be rolled back on that
 * node too.
 */
export class Round implements Tally, VoteReceiver, Sleeper {
  readonly nodeCount: number;
  grantedCount = 0;
  refusedCount = 0;
  faultCount = 0;
  verdict: Verdict = "pending";
  /** By node index; undefined while silent. The first vote of a node counts. */
  readonly votes: (Vote | undefined)[] = [];
  wakeAtMs = 0;
  heapIndex = -1;

  readonly #schedule: Schedule;
  readonly #timeoutMs: number;
  readonly #listener: RoundListener;
  /** Bit mask of the nodes that have answered themselves. */
  #answered = 0;
  #isOver = false;
  #sentMs = 0;
  readonly #lingerMs: number;
  #isLingering = false;

  /**
   * @param lingerMs if refusals alone lose it, the verdict is held back until all have answered alike, at most so
   *   long after it was sent
   */
  constructor(
    nodeCount: number,
    schedule: Schedule,
    timeoutMs: number,
    listener: RoundListener,
    lingerMs = 0,
  ) {
    this.nodeCount = nodeCount;
    this.#schedule = schedule;
    this.#timeoutMs = timeoutMs;
    this.#listener = listener;
    this.#lingerMs = lingerMs;
    for (let index = 0; index < nodeCount; index++) this.votes.push(undefined);
  }

  /**
   * Sends the operation to every node.
   *
   * @param mayHold bit mask by node index, see {@link NodePort.submit}; releases only
   * @param sentMs the lease clock's reading that the deadline is counted from
   * @param receiver gets the votes, and passes them on to this round
   */
  send(
    nodes: readonly NodePort[],
    operation: Operation,
    mayHold: number,
    sentMs: number,
    receiver: VoteReceiver = this,
  ): void {
    this.expect(sentMs);
    for (let index = 0; index < nodes.length; index++) {
      nodes[index]?.submit(operation, receiver, (mayHold & (1 << index)) !== 0);
    }
  }

  /** Votes will arrive another way, within the deadline that is counted from `sentMs`. */
  expect(sentMs: number): void {
    this.#sentMs = sentMs;
    this.#schedule.set(this, sentMs + this.#timeoutMs);
  }

  /** Reports a verdict that was held back. */
  hurry(): void {
    if (!this.#isLingering) return;
    this.#isLingering = false;
    this.#tell("lost");
  }

  /** Stops waiting: no verdict will be reported; stragglers still are. */
  abandon(): void {
    this.#schedule.remove(this);
    this.#isOver = true;
  }

  /** Called by the nodes. */
  onVote(index: number, vote: Vote): void {
    const bit = 1 << index;
    if (this.#answered & bit) return;
    this.#answered |= bit;
    const isLate = this.#isOver;
    if (this.votes[index] === undefined) this.#count(index, vote);
    if (isLate) this.#listener.onStraggler?.(index, vote, this);
    else this.#decide();
  }

  /** A verdict that was held back waits no longer. */
  get graceMs(): number {
    return this.#isLingering ? 0 : 1;
  }

  /** Called by the schedule at the deadline. */
  wake(): void {
    if (this.#isLingering) {
      this.hurry();
      return;
    }
    for (let index = 0; index < this.nodeCount; index++) {
      if (this.votes[index] !== undefined) continue;
      this.#count(index, faultVote("timeout", true, `no answer within ${this.#timeoutMs} ms`));
    }
    this.#decide();
  }

  #count(index: number, vote: Vote): void {
    this.votes[index] = vote;
    if (this.#isOver) return;
    if (vote.kind === "granted") this.grantedCount++;
    else if (vote.kind === "refused") this.refusedCount++;
    else this.faultCount++;
  }

  #decide(): void {
    const found = this.verdict === "pending" ? verdict(this) : this.verdict;
    if (found === "pending" || (found === "lost" && this.#lingers())) return;
    this.#tell(found);
  }

  #lingers(): boolean {
    const answeredCount = this.refusedCount + this.faultCount + this.grantedCount;
    const isWorthIt = this.refusedCount === answeredCount && answeredCount < this.nodeCount;
    if (this.#lingerMs === 0 || this.verdict !== "pending") return false;
    if (isWorthIt && !this.#isLingering) this.#schedule.set(this, this.#sentMs + this.#lingerMs);
    this.#isLingering = isWorthIt;
    return isWorthIt;
  }

  #tell(found: "won" | "lost"): void {
    if (this.verdict === "pending") {
      this.verdict = found;
      if (found === "lost") this.#listener.onLost?.(this);
    }
    if (this.#isOver || (found === "lost" && !isReasonKnown(this))) return;
    this.#isOver = true;
    this.#schedule.remove(this);
    this.#listener.onVerdict(this);
  }
}
