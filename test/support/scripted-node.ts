import type { DatedVote, NodePort, VoteReceiver } from "../../src/coordinator/ports.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import type { Place } from "../../src/protocol/node-queue.js";
import type { Operation, OperationKind, OperationOf, Vote } from "../../src/protocol/operation.js";

/** One operation that was submitted, with the means to answer it. */
export interface Ask<Asked extends Operation = Operation> {
  readonly operation: Asked;
  readonly mayHold: boolean;
  readonly reply: (vote: Vote) => void;
}

/** A node that records what it is asked; the test answers, in any order, or not at all. */
export class ScriptedNode implements NodePort {
  readonly name: string;
  readonly asks: Ask[] = [];
  /** How it answers refreshes, by itself: for how long a name is blocked, ms, or what is wrong; undefined: not at all. */
  look: ((keys: LockKind) => number) | Vote | undefined = () => 60_000;
  /** Those that it was sent; they are none of the other asks. */
  readonly refreshes: OperationOf<"refresh">[] = [];
  readonly #index: number;
  readonly #defer: (callback: () => void) => void;

  constructor(index: number, defer: (callback: () => void) => void = () => {}) {
    this.name = `node${index}`;
    this.#index = index;
    this.#defer = defer;
  }

  submit(operation: Operation, receiver: VoteReceiver, mayHold: boolean): void {
    const reply = (vote: Vote): void => receiver.onVote(this.#index, vote);
    if (operation.kind === "refresh") {
      this.refreshes.push(operation);
      const { look } = this;
      if (look === undefined) return;
      const vote = typeof look === "function" ? looksVote(operation.places, look) : look;
      this.#defer(() => reply(vote));
      return;
    }
    this.asks.push({ operation, mayHold, reply });
  }

  /** What a message of it brings, by owner. */
  grants: ReadonlyMap<string, DatedVote> = new Map();

  voteOf(_: unknown, ownerId: string): DatedVote | undefined {
    return this.grants.get(ownerId);
  }

  /** Of the last refresh: whose places it was for. */
  get refreshed(): string[] {
    return this.refreshes.at(-1)?.places.map(({ keys }) => keys.name) ?? [];
  }

  get kinds(): OperationKind[] {
    return this.asks.map(({ operation }) => operation.kind);
  }

  all<Kind extends OperationKind>(kind: Kind): Ask<OperationOf<Kind>>[] {
    const isOfKind = ({ operation }: Ask): boolean => operation.kind === kind;
    return this.asks.filter(isOfKind) as Ask<OperationOf<Kind>>[];
  }

  /** The last one asked for. */
  last<Kind extends OperationKind>(kind: Kind): Ask<OperationOf<Kind>> {
    const ask = this.all(kind).at(-1);
    if (ask === undefined)
      throw new Error(`${this.name} was not asked to ${kind}: ${this.kinds.join(", ")}`);
    return ask;
  }

  answer(kind: OperationKind, vote: Vote): void {
    this.last(kind).reply(vote);
  }
}

function looksVote(places: readonly Place[], look: (keys: LockKind) => number): Vote {
  const blockedMs = Float64Array.from(places, ({ keys }) => look(keys));
  return { kind: "granted", fence: 0, looks: { blockedMs, nowMs: 0, signs: "" } };
}
