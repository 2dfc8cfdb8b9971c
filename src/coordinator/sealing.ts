import { sealState } from "../protocol/fencing.js";
import { nodesThatGranted, toleratedCount, type Verdict } from "../protocol/quorum.js";
import type { RefusedVote, Vote, Votes } from "../protocol/operation.js";
import { Round, type RoundContext, type RoundListener } from "./round.js";

export interface SealingListener {
  /** Send `seal(token)` to the node. */
  askSeal(index: number, token: number): void;
  /** Exactly once, unless it was stopped. */
  onSealed(sealing: Sealing): void;
}

/** A grant with a fence above the token: the node's counter moved on before it received the token. */
const AHEAD: RefusedVote = {
  kind: "refused",
  reason: "held",
  remainingMs: 0,
  label: "a fence above the token",
};

/**
 * Brings a quorum of nodes to store one token, where no quorum has returned it.
 *
 * The token is the largest fence among the nodes that granted when the acquire round was decided, and is fixed then:
 * recomputing it for later grants would let two attempts end up with one token. Nodes that returned exactly the token
 * are sealed already; those behind it are asked to store it.
 */
export class Sealing implements RoundListener {
  readonly token: number;
  readonly #listener: SealingListener;
  /** Of the acquire round, at its verdict. */
  readonly #acquired: Votes;
  /** Bit mask of the nodes that have granted the acquire, by an answer or by a message. */
  #granted: number;
  /** What the nodes say to the token. */
  readonly #round: Round;
  #isOver = false;

  /** @param acquired votes of the acquire round, at its verdict */
  constructor(
    context: RoundContext,
    timeoutMs: number,
    token: number,
    acquired: Votes,
    listener: SealingListener,
  ) {
    this.token = token;
    this.#listener = listener;
    this.#acquired = [...acquired];
    this.#granted = nodesThatGranted(acquired);
    this.#round = new Round(context, timeoutMs, this);
  }

  get verdict(): Verdict {
    return this.#round.verdict;
  }

  /** By node index: the acquire vote, replaced by the seal vote once there is one. */
  get votes(): Votes {
    return this.#round.votes.map((vote, index) => vote ?? this.#acquired[index]);
  }

  /** Bit mask of the nodes that store the token under our ownerId. */
  get sealed(): number {
    return nodesThatGranted(this.#round.votes);
  }

  /** Without the fences that were above the token by then, a quorum could have stored it. */
  get isOutrun(): boolean {
    return this.votes.filter(isNoFence).length <= toleratedCount(this.votes.length);
  }

  /** Asks the nodes behind. They have as long to answer as in any round. */
  start(nowMs: number): void {
    for (const [index, vote] of this.#acquired.entries()) {
      if (vote !== undefined) this.onAcquireVote(index, vote);
    }
    if (!this.#isOver) this.#round.expect(nowMs);
  }

  stop(): void {
    this.#isOver = true;
    this.#round.abandon();
  }

  /** An acquire vote: of the round, or a straggler's, which may be sealed but never moves the token. */
  onAcquireVote(index: number, vote: Vote): void {
    if (vote.kind !== "granted") {
      // A message may have overtaken the refusal of a node that has granted it since: its seal says more.
      if ((this.#granted & (1 << index)) === 0) this.#round.onVote(index, vote);
      return;
    }
    this.#granted |= 1 << index;
    const state = sealState(vote.fence, this.token);
    if (state === "sealed") this.#round.onVote(index, vote);
    else if (state === "ahead") this.#round.onVote(index, AHEAD);
    else if (!this.#isOver) this.#listener.askSeal(index, this.token);
  }

  /** A seal vote counts only for the token it was sent with. */
  onSealVote(index: number, token: number, vote: Vote): void {
    if (token === this.token) this.#round.onVote(index, vote);
  }

  /** Called by the round: whoever refuses it, it is lost. */
  isReasonKnown(): boolean {
    return true;
  }

  /** Called by the round. */
  onVerdict(): void {
    this.#isOver = true;
    this.#listener.onSealed(this);
  }
}

/** A fault, or a holder: a node that refuses because of its fence has no key of one to tell about. */
function isNoFence(vote: Vote | undefined): boolean {
  return vote?.kind === "fault" || (vote?.kind === "refused" && vote.remainingMs > 0);
}
