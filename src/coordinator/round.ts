import { faultVote, type Operation, type Vote } from "../protocol/operation.js";
import { verdict, type Tally, type Verdict } from "../protocol/verdict.js";
import type { Clock, NodePort, Timer } from "./ports.js";

/** What a round tells its owner. Both are called from the reply that caused them. */
export interface RoundListener {
  /** Exactly once. Every vote counted so far is in `round.votes`. */
  onVerdict(round: Round): void;
  /** A reply that came after the verdict, or after its node's deadline. */
  onStraggler?(index: number, vote: Vote): void;
}

/**
 * One operation fanned out to all nodes in parallel.
 *
 * The verdict falls as soon as it can and is final; nodes still silent at the deadline count as
 * faults. A timeout is "unknown", never "no": the operation may yet take effect, so whoever gives
 * up must roll back on that node too.
 */
export class Round implements Tally {
  readonly nodeCount: number;
  grantedCount = 0;
  refusedCount = 0;
  faultCount = 0;
  verdict: Verdict = "pending";
  /** By node index; undefined while silent. At most one vote a node counts, the first. */
  readonly votes: (Vote | undefined)[];

  readonly #listener: RoundListener;
  readonly #answered: boolean[];
  #timer: Timer | undefined;

  constructor(nodeCount: number, listener: RoundListener) {
    this.nodeCount = nodeCount;
    this.#listener = listener;
    this.votes = Array.from({ length: nodeCount });
    this.#answered = Array.from({ length: nodeCount }, () => false);
  }

  /**
   * Sends the operation to every node.
   *
   * @param owed bit mask by node index, see {@link NodePort.submit}; releases only
   */
  send(
    nodes: readonly NodePort[],
    operation: Operation,
    owed: number,
    clock: Clock,
    timeoutMs: number,
  ): void {
    this.#timer = clock.setTimer(timeoutMs, () => this.#expire(timeoutMs));
    nodes.forEach((node, index) => {
      node.submit(operation, (vote) => this.#onReply(index, vote), (owed & (1 << index)) !== 0);
    });
  }

  /** Stops waiting: no verdict will be reported any more, stragglers still are. */
  abandon(): void {
    this.#timer?.cancel();
    if (this.verdict === "pending") this.verdict = "lost";
  }

  #onReply(index: number, vote: Vote): void {
    if (this.#answered[index]) return;
    this.#answered[index] = true;
    const isLate = this.verdict !== "pending";
    if (this.votes[index] === undefined) this.#count(index, vote);
    if (isLate) this.#listener.onStraggler?.(index, vote);
    else this.#decide();
  }

  #expire(timeoutMs: number): void {
    for (let index = 0; index < this.nodeCount; index++) {
      if (this.votes[index] !== undefined) continue;
      this.#count(index, faultVote("timeout", true, `no answer within ${timeoutMs} ms`));
    }
    this.#decide();
  }

  #count(index: number, vote: Vote): void {
    this.votes[index] = vote;
    if (this.verdict !== "pending") return;
    if (vote.kind === "granted") this.grantedCount++;
    else if (vote.kind === "refused") this.refusedCount++;
    else this.faultCount++;
  }

  #decide(): void {
    if (this.verdict !== "pending") return;
    this.verdict = verdict(this);
    if (this.verdict === "pending") return;
    this.#timer?.cancel();
    this.#listener.onVerdict(this);
  }
}
