import type { HistoryEvent, KeyEvent } from "./oracles/history.js";
import { textOf } from "../src/memory/bytes.js";
import { MARKERS } from "../src/protocol/markers.js";
import { doneBy, type KeyChange } from "./node-keys.js";
import type { SimNode } from "./sim-node.js";
import type { StoredKey } from "./stored-key.js";
import type { World } from "./world.js";

/** What a member of a set represents: somebody's lock, or undefined for nobody's. */
export type Standing = (
  name: string,
  member: string,
) => (Pick<KeyEvent, "name" | "mode"> & { readonly ownerId: string }) | undefined;

export const asReader: Standing = (name, ownerId) => ({ name, mode: "shared", ownerId });

/** A client whose turn it is has no permit yet. */
export const asPermit: Standing = (name, member) => {
  const colon = member.indexOf(":");
  const [slot, ownerId] = [member.slice(0, colon), member.slice(colon + 1)];
  return ownerId.startsWith(MARKERS.turn) ? undefined : { name: `${name}#${slot}`, ownerId };
};

/** The readers of one name on one node. */
interface NameReaders {
  /** Whether the lock key marks the name as shared. */
  isShared: boolean;
  /** From the sorted set: the last millisecond of the node's clock in which each is a reader. */
  members: ReadonlyMap<string, number>;
  /** What the history has recorded. */
  told: ReadonlyMap<string, number>;
}

/**
 * Records the readers, or the holders of permits, on the nodes, according to their keys. One exists while
 * the lock key marks the name as shared, the set contains it, and its own time is not over. That time
 * passes whether or not the node has touched the set since.
 */
export class Readers {
  readonly #standing: Standing;
  readonly #world: World;
  readonly #record: (event: HistoryEvent) => void;
  readonly #names = new Map<string, { node: SimNode; name: string; readers: NameReaders }>();

  constructor(world: World, record: (event: HistoryEvent) => void, standing: Standing) {
    this.#standing = standing;
    this.#world = world;
    this.#record = record;
  }

  onLockKey(node: SimNode, name: string, isShared: boolean, by: KeyChange["by"]): void {
    this.#of(node, name).isShared = isShared;
    this.#tell(node, name, by);
  }

  onReadersKey(
    node: SimNode,
    name: string,
    stored: StoredKey | undefined,
    by: KeyChange["by"],
  ): void {
    const entries = stored?.members ?? [];
    this.#of(node, name).members = new Map(
      entries.map(([member, score]) => [textOf(member), score] as const),
    );
    this.#tell(node, name, by);
  }

  /** The node's clock was disturbed: all predicted ends are void. */
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
    for (const [member, score] of told) {
      if (standing.has(member)) continue;
      this.#write(node, name, member, score < nowMs ? "expire" : by, true);
    }
    for (const [member, score] of standing) {
      const before = told.get(member);
      if (before === score) continue;
      this.#write(node, name, member, by, before !== undefined, score);
      this.#watch(node, name, score);
    }
  }

  #write(
    node: SimNode,
    name: string,
    member: string,
    by: KeyChange["by"],
    wasThere: boolean,
    score?: number,
  ): void {
    const standing = this.#standing(name, member);
    if (standing === undefined) return;
    const { ownerId, ...where } = standing;
    const event: KeyEvent = {
      kind: "key",
      atUs: this.#world.nowUs,
      node: node.index,
      ...where,
      before: wasThere ? ownerId : undefined,
      after: score === undefined ? undefined : ownerId,
      ...doneBy(by),
      deadUs: score === undefined ? this.#world.nowUs : deadAtUs(node, score),
    };
    this.#record(event);
  }

  #watch(node: SimNode, name: string, score: number): void {
    this.#world.at(deadAtUs(node, score), () => this.#tell(node, name, "expire"));
  }
}

/** A reader exists through the whole of its last millisecond. */
function deadAtUs(node: SimNode, score: number): number {
  return node.clock.trueAt((score + 1) * 1_000);
}
