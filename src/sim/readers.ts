import type { HistoryEvent, KeyEvent } from "../check/history.js";
import type { KeyChange, SimNode } from "./sim-node.js";
import { membersIn } from "./sorted-set.js";
import type { World } from "./world.js";

/** The readers of one name on one node. */
interface NameReaders {
  /** The lock key says that there are readers. */
  isShared: boolean;
  /** What the sorted set says: until which millisecond of the node each stands there. */
  members: ReadonlyMap<string, number>;
  /** What the history says. */
  told: ReadonlyMap<string, number>;
}

/**
 * Writes down who reads on the nodes, from what their keys say: a reader stands there while the lock
 * key says that there are some, it is in the set, and its own time is not over. That time runs out
 * whether or not the node has touched the set since.
 */
export class Readers {
  readonly #world: World;
  readonly #record: (event: HistoryEvent) => void;
  readonly #names = new Map<string, { node: SimNode; name: string; readers: NameReaders }>();

  constructor(world: World, record: (event: HistoryEvent) => void) {
    this.#world = world;
    this.#record = record;
  }

  onLockKey(node: SimNode, name: string, isShared: boolean, by: KeyChange["by"]): void {
    this.#of(node, name).isShared = isShared;
    this.#tell(node, name, by);
  }

  onReadersKey(node: SimNode, name: string, text: string | undefined, by: KeyChange["by"]): void {
    const entries = membersIn(text).map(({ member, score }) => [member, score] as const);
    this.#of(node, name).members = new Map(entries);
    this.#tell(node, name, by);
  }

  /** The clock of the node was disturbed: all that was foreseen is void. */
  foreseeAgain(node: SimNode): void {
    for (const { node: other, name, readers } of this.#names.values()) {
      if (other !== node) continue;
      this.#tell(node, name, "expire");
      for (const score of readers.told.values()) this.#watch(node, name, score);
    }
  }

  #of(node: SimNode, name: string): NameReaders {
    const where = `${node.index} ${name}`;
    let found = this.#names.get(where);
    if (found === undefined) {
      const readers = { isShared: false, members: new Map(), told: new Map() };
      found = { node, name, readers };
      this.#names.set(where, found);
    }
    return found.readers;
  }

  #tell(node: SimNode, name: string, by: KeyChange["by"]): void {
    const readers = this.#of(node, name);
    const { nowMs } = node;
    const alive = [...readers.members].filter(([, score]) => readers.isShared && score >= nowMs);
    const standing = new Map(alive);
    const { told } = readers;
    readers.told = standing;
    for (const [ownerId, score] of told) {
      if (standing.has(ownerId)) continue;
      this.#write(node, name, ownerId, undefined, score < nowMs ? "expire" : by);
    }
    for (const [ownerId, score] of standing) {
      const before = told.get(ownerId);
      if (before === score) continue;
      this.#write(node, name, before === undefined ? undefined : ownerId, ownerId, by, score);
      this.#watch(node, name, score);
    }
  }

  #write(
    node: SimNode,
    name: string,
    before: string | undefined,
    after: string | undefined,
    by: KeyChange["by"],
    score?: number,
  ): void {
    const isOperation = typeof by === "object";
    const event: KeyEvent = {
      kind: "key",
      atUs: this.#world.nowUs,
      node: node.index,
      name,
      mode: "shared",
      before,
      after,
      by: isOperation ? by.ownerId : undefined,
      op: isOperation ? by.kind : by,
      deadUs: score === undefined ? this.#world.nowUs : deadAtUs(node, score),
    };
    this.#record(event);
  }

  #watch(node: SimNode, name: string, score: number): void {
    this.#world.at(deadAtUs(node, score), () => this.#tell(node, name, "expire"));
  }
}

/** A reader stands there through the whole of its last millisecond. */
function deadAtUs(node: SimNode, score: number): number {
  return node.clock.trueAt((score + 1) * 1_000);
}
