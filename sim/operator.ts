import type { Fleet } from "./fleet.js";
import type { NodeChange, NodeChanges } from "./scenario.js";

/** The client that puts a new list on record. */
export const RESTARTED = 0;

/** How often the operator looks whether something is done, µs. */
const LOOK_US = 20_000;

/** Adds and removes nodes while services run, step by step as docs/operate/changing-nodes.md says. */
export class Operator {
  readonly #fleet: Fleet;
  readonly #changes: readonly NodeChange[];
  #list: readonly number[];

  constructor(fleet: Fleet, { first, changes }: NodeChanges) {
    this.#fleet = fleet;
    this.#changes = changes;
    this.#list = first;
  }

  begin(): void {
    this.#next(0);
  }

  #next(at: number): void {
    const change = this.#changes[at];
    if (change === undefined) return;
    this.#atUs(change.atMs * 1_000, () => this.#rollOut(change, () => this.#next(at + 1)));
  }

  /** The new server is there, and empty. */
  #rollOut(change: NodeChange, then: () => void): void {
    const { world } = this.#fleet;
    const [before, { nodes, afterMs, isKilled, waitMs }] = [this.#list, change];
    this.#list = nodes;
    afterMs.forEach((delayMs, client) => {
      this.#atUs(world.nowUs + delayMs * 1_000, () =>
        this.#fleet.replaceClient(client, nodes, isKilled[client] === true),
      );
    });
    const lastUs = world.nowUs + Math.max(...afterMs) * 1_000;
    this.#atUs(lastUs, () => {
      // The last client with the old list has ended.
      this.#once(
        () => !this.#fleet.isUsed(before),
        () => this.#atUs(world.nowUs + waitMs * 1_000, () => this.#clear(before, then)),
      );
    });
  }

  /** Deletes the old list everywhere, empties what was removed, and has a client put the new list on record. */
  #clear(before: readonly number[], then: () => void): void {
    const { nodes } = this.#fleet;
    const all = [...new Set([...before, ...this.#list])];
    const left = new Set(all);
    const isCleared = (): boolean => {
      for (const index of left) {
        const node = nodes[index];
        if (node?.state !== "up") continue;
        left.delete(index);
        if (this.#list.includes(index)) node.deleteList();
        else node.forget();
      }
      return left.size === 0;
    };
    const isListed = (): boolean =>
      this.#list.every((index) => nodes[index]?.listed?.length === this.#list.length);
    this.#once(isCleared, () => {
      this.#fleet.replaceClient(RESTARTED, this.#list, false);
      this.#once(isListed, then);
    });
  }

  #once(isDone: () => boolean, then: () => void): void {
    if (this.#fleet.isHealing) return;
    if (isDone()) then();
    else this.#atUs(this.#fleet.world.nowUs + LOOK_US, () => this.#once(isDone, then));
  }

  /** When all is healed, the lists stay as they are. */
  #atUs(atUs: number, run: () => void): void {
    this.#fleet.world.at(atUs, () => {
      if (!this.#fleet.isHealing) run();
    });
  }
}
