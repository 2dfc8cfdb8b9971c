import type { Vote } from "../protocol/operation.js";

/** Which nodes may hold a key of ours, and which hold it with the token stored. Bit masks by node. */
export class LeaseNodes {
  /** Nodes that may hold a key of ours: they must receive the release. */
  mayHold: number;
  readonly #nodeCount: number;
  #complete: number;

  constructor(nodeCount: number, mayHold: number, complete: number) {
    this.#nodeCount = nodeCount;
    this.mayHold = mayHold;
    this.#complete = complete;
  }

  get isComplete(): boolean {
    const all = (1 << this.#nodeCount) - 1;
    return (this.#complete & all) === all;
  }

  has(index: number): boolean {
    return (this.#complete & (1 << index)) !== 0;
  }

  /** The node holds our key with the token stored. */
  add(index: number): void {
    this.#complete |= 1 << index;
    this.mayHold |= 1 << index;
  }

  /**
   * Records an extend vote of a round in which a quorum matched. Returns whether to heal: where the key is free, and
   * where it is ours but may lack the token.
   */
  needsHeal(index: number, vote: Vote): boolean {
    if (vote.kind === "granted") return !this.has(index);
    if (vote.kind === "fault") return false;
    this.#complete &= ~(1 << index);
    return vote.reason === "free";
  }
}
