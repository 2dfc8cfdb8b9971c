import type { CountEvent, KeyEvent } from "./oracles/history.js";
import { getOrAdd } from "./oracles/get-or-add.js";
import { doneBy, type KeyChange } from "./node-keys.js";
import type { Recorder } from "./recorder.js";
import type { SimNode } from "./sim-node.js";
import type { StoredKey } from "./stored-key.js";
import type { World } from "./world.js";

/** One of several who may hold a name on a node at the same time, as its keys say. */
export interface Standing extends Pick<KeyEvent, "name" | "mode" | "owner"> {
  readonly ownerId: string;
  /** The last millisecond of the node's clock in which it holds the name. */
  readonly expiresAtMs: number;
}

/** The keys of one name on one node that say who holds it. */
export interface NameKeys {
  readonly name: string;
  /** As far as it has the mark. */
  readonly lock: StoredKey | undefined;
  /** The key beside it. */
  readonly beside: StoredKey | undefined;
}

/** How several holders of a name are stored: by a mark in its lock key, and mostly in a key beside it. */
export interface StandingKind {
  isMarked(lock: StoredKey): boolean;
  /** All that are stored, expired or not. */
  standingIn(keys: NameKeys): readonly Standing[];
  /** What a step that wrote the key has counted; expired holders count until the next step. */
  countIn?(keys: NameKeys, written: StoredKey): Pick<CountEvent, "owner" | "count"> | undefined;
}

interface Recorded {
  readonly node: SimNode;
  keys: NameKeys;
  /** What wrote the key beside it last. */
  besideBy?: KeyChange["by"];
  /** What the history has recorded. */
  told: ReadonlyMap<string, Standing>;
}

/**
 * Records who holds names on the nodes beside others, according to their keys. Each holds its name while the keys say
 * so and its own time is not over. That time passes whether or not the node has touched the keys since.
 */
export class StandingRecorder {
  readonly #world: World;
  readonly #record: Recorder;
  readonly #kind: StandingKind;
  readonly #names = new Map<string, Recorded>();

  constructor(world: World, record: Recorder, kind: StandingKind) {
    this.#world = world;
    this.#record = record;
    this.#kind = kind;
  }

  onLockKey(node: SimNode, name: string, { before, after, by }: KeyChange): void {
    if (!this.#isMarked(before) && !this.#isMarked(after)) return;
    const recorded = this.#of(node, name);
    const isMarked = this.#isMarked(after);
    // What an earlier tenure left beside it, when it was stolen, is removed or rewritten by the same step.
    const isLeft =
      isMarked && !this.#isMarked(before) && isOperation(by) && recorded.besideBy !== by;
    const beside = isLeft ? undefined : recorded.keys.beside;
    recorded.keys = { ...recorded.keys, beside, lock: isMarked ? after : undefined };
    this.#onWritten(recorded, after, by);
  }

  onKeyBeside(node: SimNode, name: string, { after, by }: KeyChange): void {
    const recorded = this.#of(node, name);
    recorded.keys = { ...recorded.keys, beside: after };
    recorded.besideBy = by;
    this.#onWritten(recorded, after, by);
  }

  /** The node's clock was disturbed: all predicted ends are void. */
  foreseeAgain(node: SimNode): void {
    for (const recorded of this.#names.values()) {
      if (recorded.node !== node) continue;
      this.#tell(recorded, "expire");
      for (const standing of recorded.told.values()) this.#watch(recorded, standing);
    }
  }

  #isMarked(lock: StoredKey | undefined): boolean {
    return lock !== undefined && this.#kind.isMarked(lock);
  }

  #of(node: SimNode, name: string): Recorded {
    return getOrAdd(this.#names, `${node.index} ${name}`, () => {
      return { node, keys: { name, lock: undefined, beside: undefined }, told: new Map() };
    });
  }

  #onWritten(recorded: Recorded, written: StoredKey | undefined, by: KeyChange["by"]): void {
    this.#tell(recorded, by);
    const { node, keys } = recorded;
    if (!isOperation(by) || written === undefined) return;
    const count = this.#kind.countIn?.(keys, written);
    if (count === undefined) return;
    this.#record({ kind: "count", node: node.index, name: keys.name, ...count });
  }

  #tell(recorded: Recorded, by: KeyChange["by"]): void {
    const { node, keys, told } = recorded;
    const { nowMs } = node;
    const current = this.#kind
      .standingIn(keys)
      .filter(({ expiresAtMs }) => expiresAtMs >= nowMs)
      .map((standing) => [`${standing.name} ${standing.ownerId}`, standing] as const);
    recorded.told = new Map(current);
    for (const [key, standing] of told) {
      if (recorded.told.has(key)) continue;
      this.#write(node, standing, standing.expiresAtMs < nowMs ? "expire" : by, "ends");
    }
    for (const [key, standing] of current) {
      const before = told.get(key);
      if (before?.expiresAtMs === standing.expiresAtMs) continue;
      this.#write(node, standing, by, before === undefined ? "begins" : "goes on");
      this.#watch(recorded, standing);
    }
  }

  #write(
    node: SimNode,
    standing: Standing,
    by: KeyChange["by"],
    what: "begins" | "goes on" | "ends",
  ): void {
    const { expiresAtMs: _, ownerId, ...about } = standing;
    this.#record({
      kind: "key",
      node: node.index,
      ...about,
      before: what === "begins" ? undefined : ownerId,
      after: what === "ends" ? undefined : ownerId,
      ...doneBy(by),
      deadUs: what === "ends" ? this.#world.nowUs : node.deadAtUs(standing),
    });
  }

  #watch(recorded: Recorded, standing: Standing): void {
    this.#world.at(recorded.node.deadAtUs(standing), () => this.#tell(recorded, "expire"));
  }
}

function isOperation(by: KeyChange["by"]): boolean {
  return typeof by === "object" && by.kind !== "foreign";
}
