import {
  silentVote,
  type GrantedVote,
  type Operation,
  type Vote,
  type Votes,
} from "../protocol/operation.js";
import {
  ALL_NODES,
  isReasonKnown,
  tallyOf,
  verdict,
  type Tally,
  type Verdict,
} from "../protocol/quorum.js";
import type { NodePort, VoteReceiver } from "./ports.js";
import type { Schedule, Sleeper } from "./schedule.js";

/** A round, as those see it who hear of it. */
export interface WatchedRound {
  /** A round that ends `pending` was abandoned. */
  readonly verdict: Verdict;
  /** By node index; undefined while it is silent, and if it was not asked. */
  readonly votes: Votes;
  /** Bit mask of the nodes that were asked. */
  readonly asked: number;
  /** How long a node has to answer, ms. */
  readonly timeoutMs: number;
}

/** Hears of a round to its end, votes after its verdict included; changes nothing. */
export interface RoundWatcher {
  /** A node has answered, and what follows from that has happened. */
  onAnswer?(index: number, round: WatchedRound): void;
  /** Called once, when all nodes that were asked have answered, or their deadline has passed. */
  onEnd(round: WatchedRound): void;
}

export interface RoundObserver {
  /**
   * A round is about to be sent.
   *
   * @returns who wants to hear of it, if anybody
   */
  onRound?(operation: Operation): RoundWatcher | undefined;
}

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
  /** Votes of an earlier round, by node index. A node that has voted there does not vote again. */
  readonly votes?: Votes | undefined;
}

/** What a round is sent to. */
export interface RoundContext {
  readonly nodes: readonly NodePort[];
  readonly schedule: Schedule;
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
export class Round implements VoteReceiver, Sleeper, WatchedRound {
  readonly timeoutMs: number;
  verdict: Verdict = "pending";
  /** By node index; undefined while silent. The first vote of a node counts. */
  readonly votes: (Vote | undefined)[] = [];
  asked = 0;
  wakeAtMs = 0;
  heapIndex = -1;

  readonly #context: RoundContext;
  readonly #listener: RoundListener;
  /** Bit mask of the nodes that have answered themselves. */
  #answered = 0;
  /** Of those whose answer is a grant, whatever messages say. */
  #grantedThemselves = 0;
  #isOver = false;
  #sentMs = 0;
  readonly #lingerMs: number;
  readonly #judge: RoundJudge | undefined;
  #isLingering = false;
  /** Nodes that had refused it before. */
  #grantedLaterCount = 0;
  /** Until it was told of the end. */
  #watcher: RoundWatcher | undefined;

  constructor(
    context: RoundContext,
    timeoutMs: number,
    listener: RoundListener,
    { lingerMs = 0, judge, votes }: RoundRules = NO_RULES,
  ) {
    this.#context = context;
    this.timeoutMs = timeoutMs;
    this.#listener = listener;
    this.#lingerMs = lingerMs;
    this.#judge = judge;
    for (let index = 0; index < context.nodes.length; index++) {
      const vote = votes?.[index];
      this.votes.push(vote);
      if (vote !== undefined) this.#answered |= 1 << index;
    }
  }

  /**
   * Sends the operation to every node.
   *
   * @param sentMs the lease clock's reading that the deadline is counted from
   * @param mayHold bit mask by node index, see {@link NodePort.submit}; releases only
   * @param receiver gets the votes, and passes them on to this round
   * @param to bit mask of the nodes that are asked
   */
  send(
    operation: Operation,
    sentMs: number,
    mayHold = 0,
    receiver: VoteReceiver = this,
    to = ALL_NODES,
  ): void {
    const { nodes, observer } = this.#context;
    this.#watcher = observer.onRound?.(operation);
    this.asked = to & ((1 << nodes.length) - 1);
    this.expect(sentMs);
    for (let index = 0; index < nodes.length; index++) {
      if (to & (1 << index))
        nodes[index]?.submit(operation, receiver, (mayHold & (1 << index)) !== 0);
    }
  }

  /** Votes will arrive another way, within the deadline that is counted from `sentMs`. */
  expect(sentMs: number): void {
    this.#sentMs = sentMs;
    this.#context.schedule.set(this, sentMs + this.timeoutMs);
  }

  /** Reports a verdict that was held back. */
  hurry(): void {
    if (!this.#isLingering) return;
    this.#linger(false);
    this.#tellLoss();
  }

  /**
   * Stops waiting: no verdict will be reported; stragglers still are. Its deadline ends nothing any more, except what
   * its watcher waits for.
   */
  abandon(): void {
    this.#isOver = true;
    if (this.#watcher === undefined || this.#isAnswered) this.#context.schedule.remove(this);
    else if (this.#isLingering) this.#linger(false);
  }

  /** Called by the nodes. */
  onVote(index: number, vote: Vote): void {
    const bit = 1 << index;
    if (this.#answered & bit) return;
    this.#answered |= bit;
    if (vote.kind === "granted") this.#grantedThemselves |= bit;
    this.votes[index] ??= vote;
    if (this.#isOver) this.#listener.onStraggler?.(index, vote, this);
    else this.#decide();
    if (this.#watcher === undefined) return;
    this.#watcher.onAnswer?.(index, this);
    if (this.#isAnswered) this.#tellEnd();
  }

  /** A node has granted it since it refused; or it was not asked; or its answer is still on its way. */
  onGrant(index: number, vote: GrantedVote): void {
    const before = this.votes[index];
    if (this.#isOver || (before !== undefined && before.kind !== "refused")) return;
    this.votes[index] = vote;
    if (before !== undefined) this.#grantedLaterCount++;
    this.#decide();
  }

  /** Bit mask of the nodes that were asked and have not answered that they grant it, whatever messages say. */
  get askedInVain(): number {
    return this.asked & ~this.#grantedThemselves;
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
      const silent = silentVote(this.timeoutMs);
      for (let index = 0; index < this.votes.length; index++) this.votes[index] ??= silent;
      this.#decide(true);
    }
    this.#tellEnd();
  }

  /** Asks its judge again. */
  judge(): void {
    if (!this.#isOver) this.#decide();
    if (this.#isAnswered) this.#tellEnd();
  }

  #decide(isTimeUp = false): void {
    const tally = tallyOf(this.votes);
    // What is lost has been rolled back, whatever a node grants since.
    const found = this.verdict === "lost" ? this.verdict : verdict(tally);
    if (found === "pending" && this.#isLingering) this.#linger(false);
    if (found === "won") this.#end(found);
    else if (this.#judge !== undefined) {
      // Where nobody is against it there is nothing to judge, as in most rounds.
      const isOpposed = tally.refusedCount > 0 || tally.faultCount > 0;
      if (isOpposed && this.#judge.isDecided(this, isTimeUp)) this.#end("lost");
    } else if (found === "lost" && !this.#lingers(tally)) this.#tellLoss();
  }

  #lingers({ nodeCount, grantedCount, refusedCount, faultCount }: Tally): boolean {
    if (this.#lingerMs === 0 || this.verdict !== "pending") return false;
    const refusedFirst = refusedCount + this.#grantedLaterCount;
    const isWorthIt =
      grantedCount + faultCount === this.#grantedLaterCount && refusedFirst < nodeCount;
    if (isWorthIt !== this.#isLingering) this.#linger(isWorthIt);
    return isWorthIt;
  }

  /** Once it lingers no more, what is still to come only tells the reason. */
  #linger(isLingering: boolean): void {
    this.#isLingering = isLingering;
    const forMs = isLingering ? this.#lingerMs : this.timeoutMs;
    this.#context.schedule.set(this, this.#sentMs + forMs);
  }

  /** Whoever must not be held up until the reason is known learns of the loss first. */
  #tellLoss(): void {
    if (this.verdict === "pending") {
      this.verdict = "lost";
      this.#listener.onLost?.(this);
    }
    if (this.#isOver) return;
    const isKnown = this.#listener.isReasonKnown?.(this) ?? isReasonKnown(tallyOf(this.votes));
    if (isKnown) this.#end("lost");
  }

  #end(found: "won" | "lost"): void {
    this.verdict = found;
    this.abandon();
    this.#listener.onVerdict(this);
  }

  /** Whether all that were asked have answered. */
  get #isAnswered(): boolean {
    return (this.asked & ~this.#answered) === 0;
  }

  #tellEnd(): void {
    const watcher = this.#watcher;
    this.#watcher = undefined;
    if (this.#isOver) this.#context.schedule.remove(this);
    watcher?.onEnd(this);
  }
}
