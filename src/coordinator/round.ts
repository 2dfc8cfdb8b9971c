import { faultVote, type GrantedVote, type Operation, type Vote, type Votes } from "../protocol/operation.js";
import { isReasonKnown, verdict, type Tally, type Verdict } from "../protocol/verdict.js";
import { ALL_NODES } from "./node-sets.js";
import type { NodePort, VoteReceiver } from "./ports.js";
import type { Schedule, Sleeper } from "./schedule.js";
import type { RoundObserver, RoundWatcher, WatchedRound } from "./watched-round.js";

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
  /** Whether the reason of a lost round is known; by default {@link isReasonKnown}. */
  isReasonKnown?(round: Round): boolean;
}

/** Decides when a round that has not won is lost, instead of the count of its votes. */
export interface RoundJudge {
  /** Asked after a vote, and once all silent nodes count as faults, if there is a refusal or a fault. */
  isDecided(round: Round, isTimeUp: boolean): boolean;
}

/** How a round ends, if not by the count of its votes alone. */
export interface RoundRules {
  /**
   * If refusals alone lose it, the verdict is held back until all have answered alike, at most so long after it was
   * sent, ms.
   */
  readonly lingerMs?: number;
  readonly judge?: RoundJudge | undefined;
}

/** What a round is sent to. */
export interface RoundContext {
  readonly nodes: readonly NodePort[];
  readonly observer: RoundObserver;
}

const NO_RULES: RoundRules = {};

/**
 * One operation fanned out to all nodes in parallel.
 *
 * The verdict falls as soon as it can and is final; nodes still silent at the deadline count as faults. A timeout
 * means "unknown", never "no": the operation may still take effect, so a failed attempt must be rolled back on that
 * node too.
 */
export class Round implements Tally, VoteReceiver, Sleeper, WatchedRound {
  readonly nodeCount: number;
  readonly timeoutMs: number;
  grantedCount = 0;
  refusedCount = 0;
  faultCount = 0;
  verdict: Verdict = "pending";
  /** By node index; undefined while silent. The first vote of a node counts. */
  readonly votes: (Vote | undefined)[] = [];
  asked = 0;
  wakeAtMs = 0;
  heapIndex = -1;

  readonly #schedule: Schedule;
  readonly #listener: RoundListener;
  /** Bit mask of the nodes that have answered themselves. */
  #answered = 0;
  #isOver = false;
  #sentMs = 0;
  readonly #lingerMs: number;
  readonly #judge: RoundJudge | undefined;
  #isLingering = false;
  /** Until it was told of the end. */
  #watcher: RoundWatcher | undefined;

  constructor(
    nodeCount: number,
    schedule: Schedule,
    timeoutMs: number,
    listener: RoundListener,
    { lingerMs = 0, judge }: RoundRules = NO_RULES,
  ) {
    this.nodeCount = nodeCount;
    this.#schedule = schedule;
    this.timeoutMs = timeoutMs;
    this.#listener = listener;
    this.#lingerMs = lingerMs;
    this.#judge = judge;
    for (let index = 0; index < nodeCount; index++) this.votes.push(undefined);
  }

  /**
   * Sends the operation to every node.
   *
   * @param mayHold bit mask by node index, see {@link NodePort.submit}; releases only
   * @param sentMs the lease clock's reading that the deadline is counted from
   * @param receiver gets the votes, and passes them on to this round
   * @param to bit mask of the nodes that are asked
   */
  send(
    { nodes, observer }: RoundContext,
    operation: Operation,
    mayHold: number,
    sentMs: number,
    receiver: VoteReceiver = this,
    to = ALL_NODES,
  ): void {
    this.#watcher = observer.onRound?.(operation);
    this.asked = to & ((1 << nodes.length) - 1);
    this.expect(sentMs);
    for (let index = 0; index < nodes.length; index++) {
      if (to & (1 << index))
        nodes[index]?.submit(operation, receiver, (mayHold & (1 << index)) !== 0);
    }
  }

  /** Takes votes of an earlier round of the same attempt over. Those who have voted there do not vote again. */
  carry(votes: Votes): void {
    for (let index = 0; index < votes.length; index++) {
      const vote = votes[index];
      if (vote === undefined) continue;
      this.#answered |= 1 << index;
      this.#count(index, vote);
    }
  }

  /** Votes will arrive another way, within the deadline that is counted from `sentMs`. */
  expect(sentMs: number): void {
    this.#sentMs = sentMs;
    this.#schedule.set(this, sentMs + this.timeoutMs);
  }

  /** Reports a verdict that was held back. */
  hurry(): void {
    if (!this.#isLingering) return;
    this.#linger(false);
    this.#tell("lost");
  }

  /** Stops waiting: no verdict will be reported; stragglers still are. */
  abandon(): void {
    this.#isOver = true;
    this.#rest();
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
    if (this.#watcher === undefined) return;
    this.#watcher.onAnswer?.(index, this);
    if (this.#isAnswered) this.#tellEnd();
  }

  /** A node has granted it since it refused; or it was not asked. */
  onGrant(index: number, vote: GrantedVote): void {
    const before = this.votes[index];
    if (this.#isOver || before?.kind !== "refused") return this.onVote(index, vote);
    this.refusedCount--;
    this.#count(index, vote);
    this.#decide();
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
    if (!this.#isOver) {
      for (let index = 0; index < this.nodeCount; index++) {
        if (this.votes[index] !== undefined) continue;
        this.#count(index, faultVote("timeout", true, `no answer within ${this.timeoutMs} ms`));
      }
      this.#decide(true);
    }
    this.#tellEnd();
  }

  /** Asks its judge again. */
  judge(): void {
    if (!this.#isOver) this.#decide();
    if (this.#isAnswered) this.#tellEnd();
  }

  #count(index: number, vote: Vote): void {
    this.votes[index] = vote;
    if (this.#isOver) return;
    if (vote.kind === "granted") this.grantedCount++;
    else if (vote.kind === "refused") this.refusedCount++;
    else this.faultCount++;
  }

  #decide(isTimeUp = false): void {
    const found = this.verdict === "pending" ? verdict(this) : this.verdict;
    if (this.#judge !== undefined && found !== "won") {
      // Where nobody is against it there is nothing to judge, as in most rounds.
      const isOpposed = this.refusedCount > 0 || this.faultCount > 0;
      if (isOpposed && this.#judge.isDecided(this, isTimeUp)) this.#end("lost");
      return;
    }
    if (found === "pending" || (found === "lost" && this.#lingers())) return;
    this.#tell(found);
  }

  #lingers(): boolean {
    const answeredCount = this.refusedCount + this.faultCount + this.grantedCount;
    const isWorthIt = this.refusedCount === answeredCount && answeredCount < this.nodeCount;
    if (this.#lingerMs === 0 || this.verdict !== "pending") return false;
    if (isWorthIt !== this.#isLingering) this.#linger(isWorthIt);
    return isWorthIt;
  }

  /** Once it lingers no more, what is still to come only tells the reason. */
  #linger(isLingering: boolean): void {
    this.#isLingering = isLingering;
    const forMs = isLingering ? this.#lingerMs : this.timeoutMs;
    this.#schedule.set(this, this.#sentMs + forMs);
  }

  #tell(found: "won" | "lost"): void {
    if (this.verdict === "pending") {
      this.verdict = found;
      if (found === "lost") this.#listener.onLost?.(this);
    }
    if (this.#isOver || (found === "lost" && !this.#isReasonKnown)) return;
    this.#end(found);
  }

  get #isReasonKnown(): boolean {
    return this.#listener.isReasonKnown?.(this) ?? isReasonKnown(this);
  }

  #end(found: "won" | "lost"): void {
    this.verdict = found;
    this.#isOver = true;
    this.#rest();
    this.#listener.onVerdict(this);
  }

  /** Whether all that were asked have answered. */
  get #isAnswered(): boolean {
    return (this.asked & ~this.#answered) === 0;
  }

  /** Its deadline ends nothing any more, except what its watcher waits for. */
  #rest(): void {
    if (this.#watcher === undefined || this.#isAnswered) this.#schedule.remove(this);
    else if (this.#isLingering) this.#linger(false);
  }

  #tellEnd(): void {
    const watcher = this.#watcher;
    this.#watcher = undefined;
    if (this.#isOver) this.#schedule.remove(this);
    watcher?.onEnd(this);
  }
}
