import { sealState } from "../protocol/fencing.js";
import { toleratedCount, verdict, type Tally, type Verdict } from "../protocol/verdict.js";
import { faultVote, type RefusedVote, type Vote, type Votes } from "../protocol/operation.js";
import type { Clock } from "./ports.js";
import type { Schedule, Sleeper } from "./schedule.js";

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
 * Brings a quorum of nodes to store one token.
 *
 * The token is the largest fence among the nodes that granted when the acquire round was decided, and is fixed then:
 * recomputing it for later grants would let two attempts end up with one token. Nodes that returned exactly the token
 * are sealed already. In steady state that is all of them, so no second message is needed.
 */
export class Sealing implements Tally, Sleeper {
  readonly token: number;
  readonly nodeCount: number;
  grantedCount = 0;
  refusedCount = 0;
  faultCount = 0;
  verdict: Verdict = "pending";
  /** Bit mask of the nodes that store the token under our ownerId. */
  sealed = 0;

  /** By node index: the acquire vote, replaced by the seal vote once there is one. */
  readonly votes: (Vote | undefined)[];

  wakeAtMs = 0;
  heapIndex = -1;

  readonly #listener: SealingListener;
  #counted = 0;
  #schedule: Schedule | undefined;
  #timeoutMs = 0;

  /** @param votes of the acquire round, at its verdict */
  constructor(nodeCount: number, votes: Votes, listener: SealingListener) {
    this.nodeCount = nodeCount;
    this.votes = [...votes];
    this.#listener = listener;
    let token = 0;
    for (const vote of votes) if (vote?.kind === "granted") token = Math.max(token, vote.fence);
    this.token = token;
  }

  /** Without the fences that were above the token by then, a quorum could have stored it. */
  get isOutrun(): boolean {
    return this.votes.filter(isNoFence).length <= toleratedCount(this.nodeCount);
  }

  start(schedule: Schedule, clock: Clock, timeoutMs: number): void {
    for (const [index, vote] of this.votes.entries()) {
      if (vote !== undefined) this.onAcquireVote(index, vote);
    }
    if (this.verdict === "pending") {
      this.#schedule = schedule;
      this.#timeoutMs = timeoutMs;
      schedule.set(this, clock.now() + timeoutMs);
    }
  }

  stop(): void {
    this.#schedule?.remove(this);
    if (this.verdict === "pending") this.verdict = "lost";
  }

  /** An acquire vote: of the round, or a straggler's, which may be sealed but never moves the token. */
  onAcquireVote(index: number, vote: Vote): void {
    if (vote.kind !== "granted") {
      this.#count(index, vote);
      return;
    }
    const state = sealState(vote.fence, this.token);
    if (state === "sealed") this.#count(index, vote);
    else if (state === "ahead") this.#count(index, AHEAD);
    else if (this.verdict === "pending") this.#listener.askSeal(index, this.token);
  }

  /** A seal vote counts only for the token it was sent with. */
  onSealVote(index: number, token: number, vote: Vote): void {
    if (token === this.token) this.#count(index, vote);
  }

  /** Called by the schedule at the deadline. */
  wake(): void {
    for (let index = 0; index < this.nodeCount; index++) {
      this.#count(index, faultVote("timeout", true, `not sealed within ${this.#timeoutMs} ms`));
    }
  }

  #count(index: number, vote: Vote): void {
    const bit = 1 << index;
    if (vote.kind === "granted") this.sealed |= bit;
    if (this.#counted & bit || this.verdict !== "pending") return;
    this.#counted |= bit;
    this.votes[index] = vote;
    if (vote.kind === "granted") this.grantedCount++;
    else if (vote.kind === "refused") this.refusedCount++;
    else this.faultCount++;
    const decided = verdict(this);
    if (decided !== "pending") this.#end(decided);
  }

  #end(decided: Verdict): void {
    this.#schedule?.remove(this);
    this.verdict = decided;
    this.#listener.onSealed(this);
  }
}

/** A fault, or a holder: a node that refuses because of its fence has no key of one to tell about. */
function isNoFence(vote: Vote | undefined): boolean {
  return vote?.kind === "fault" || (vote?.kind === "refused" && vote.remainingMs > 0);
}
