import type { NodePort, VoteReceiver } from "../../src/coordinator/ports.js";
import type { Operation, OperationKind, Vote } from "../../src/protocol/operation.js";

/** One operation that was submitted, with the means to answer it. */
export interface Ask {
  readonly operation: Operation;
  readonly isOwed: boolean;
  readonly reply: (vote: Vote) => void;
}

/** A node that records what it is asked; the test answers, in any order, or not at all. */
export class ScriptedNode implements NodePort {
  readonly name: string;
  readonly asks: Ask[] = [];
  readonly #index: number;

  constructor(index: number) {
    this.name = `node${index}`;
    this.#index = index;
  }

  submit(operation: Operation, receiver: VoteReceiver, isOwed: boolean): void {
    const reply = (vote: Vote): void => receiver.onVote(this.#index, vote);
    this.asks.push({ operation, isOwed, reply });
  }

  get kinds(): OperationKind[] {
    return this.asks.map(({ operation }) => operation.kind);
  }

  all(kind: OperationKind): Ask[] {
    return this.asks.filter(({ operation }) => operation.kind === kind);
  }

  /** The last one asked for. */
  last(kind: OperationKind): Ask {
    const ask = this.all(kind).at(-1);
    if (ask === undefined)
      throw new Error(`${this.name} was not asked to ${kind}: ${this.kinds.join(", ")}`);
    return ask;
  }

  answer(kind: OperationKind, vote: Vote): void {
    this.last(kind).reply(vote);
  }
}
