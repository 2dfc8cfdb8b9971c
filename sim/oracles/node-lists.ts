import { majority, type History } from "./history.js";

/** Which nodes each process uses. Lists differ while nodes are added or removed. */
export class NodeLists {
  /** Some process has a list that is not of all nodes. */
  readonly isChanging: boolean;
  readonly #all: readonly number[];
  readonly #lists = new Map<string, readonly number[]>();

  constructor({ settings, events }: History) {
    this.#all = Array.from({ length: settings.nodeCount }, (_, node) => node);
    for (const event of events) {
      if (event.kind !== "process" || event.nodes === undefined) continue;
      this.#lists.set(event.process, event.nodes);
    }
    this.isChanging = this.#lists.size > 0;
  }

  of(process: string): readonly number[] {
    return this.#lists.get(process) ?? this.#all;
  }

  quorumOf(process: string): number {
    return majority(this.of(process).length);
  }
}
