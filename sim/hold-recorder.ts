import type { HistoryEvent, KeyEvent } from "./oracles/history.js";
import { MARKERS, numberIn, OWN_FIELDS } from "../src/protocol/markers.js";
import { bytesOf, textOf } from "../src/memory/bytes.js";
import { doneBy, type KeyChange } from "./node-keys.js";
import type { SimNode } from "./sim-node.js";
import type { StoredKey } from "./stored-key.js";
import type { World } from "./world.js";

/** Precedes the ownerId in the field of each hold. */
const HOLD_FIELD = `${OWN_FIELDS}hold:`;

/** One hold of an owner. */
interface Hold {
  /** The last millisecond of the node's clock in which the hold exists. */
  readonly endsMs: number;
  /** Undefined for a hold without a named owner, which is its own owner. */
  readonly owner: string | undefined;
}

/** The holds of one name on one node. */
interface NameHolds {
  lock: StoredKey | undefined;
  holds: StoredKey | undefined;
  /** What the history has recorded. */
  told: ReadonlyMap<string, Hold>;
}

/**
 * Records the holds of owners on the nodes, according to their keys: a hold exists while the lock key names its
 * owner, the hash contains it, and its own time is not over. That time passes whether or not the node has touched the
 * hash since.
 */
export class HoldRecorder {
  readonly #world: World;
  readonly #record: (event: HistoryEvent) => void;
  readonly #names = new Map<string, { node: SimNode; name: string; holds: NameHolds }>();

  constructor(world: World, record: (event: HistoryEvent) => void) {
    this.#world = world;
    this.#record = record;
  }

  onLockKey(node: SimNode, name: string, stored: StoredKey | undefined, by: KeyChange["by"]): void {
    this.#of(node, name).lock = stored;
    this.#tell(node, name, by);
    if (stored?.fields !== undefined) this.#tellCount(node, name, stored.fields, by);
  }

  onHoldsKey(
    node: SimNode,
    name: string,
    stored: StoredKey | undefined,
    by: KeyChange["by"],
  ): void {
    this.#of(node, name).holds = stored;
    this.#tell(node, name, by);
    if (stored?.fields !== undefined) this.#tellCount(node, name, stored.fields, by);
  }

  /** The node's clock was disturbed: all predicted ends are void. */
  foreseeAgain(node: SimNode): void {
    for (const { node: other, name, holds } of this.#names.values()) {
      if (other !== node) continue;
      this.#tell(node, name, "expire");
      for (const { endsMs } of holds.told.values()) this.#watch(node, name, endsMs);
    }
  }

  #of(node: SimNode, name: string): NameHolds {
    const where = `${node.index} ${name}`;
    let found = this.#names.get(where);
    if (found === undefined) {
      const holds = { lock: undefined, holds: undefined, told: new Map<string, Hold>() };
      found = { node, name, holds };
      this.#names.set(where, found);
    }
    return found.holds;
  }

  #tell(node: SimNode, name: string, by: KeyChange["by"]): void {
    const holds = this.#of(node, name);
    const { nowMs } = node;
    const standing = new Map([...holdsIn(holds)].filter(([, { endsMs }]) => endsMs >= nowMs));
    const { told } = holds;
    holds.told = standing;
    for (const [ownerId, hold] of told) {
      if (standing.has(ownerId)) continue;
      this.#write(node, name, [ownerId, undefined], hold.endsMs < nowMs ? "expire" : by, hold);
    }
    for (const [ownerId, hold] of standing) {
      const before = told.get(ownerId);
      if (before?.endsMs === hold.endsMs) continue;
      this.#write(node, name, [before && ownerId, ownerId], by, hold);
      this.#watch(node, name, hold.endsMs);
    }
  }

  /** After a step of its own: expired holds are counted until the next step. */
  #tellCount(
    node: SimNode,
    name: string,
    fields: ReadonlyMap<string, string>,
    by: KeyChange["by"],
  ): void {
    const owner = ownerIn(this.#of(node, name));
    if (typeof by !== "object" || by.kind === "foreign" || owner === undefined) return;
    const isNameless = fields.has(bytesOf(HOLD_FIELD + owner));
    const { lock } = this.#of(node, name);
    if (isNameless || (lock?.fields !== undefined && isForeign(lock.fields))) return;
    const count = Number(fields.get(bytesOf(owner)) ?? 0);
    this.#record({ kind: "count", atUs: this.#world.nowUs, node: node.index, name, owner, count });
  }

  #write(
    node: SimNode,
    name: string,
    [before, after]: readonly [string | undefined, string | undefined],
    by: KeyChange["by"],
    { endsMs, owner }: Hold,
  ): void {
    const event: KeyEvent = {
      kind: "key",
      atUs: this.#world.nowUs,
      node: node.index,
      name,
      ...(owner !== undefined && { owner }),
      before,
      after,
      ...doneBy(by),
      deadUs: after === undefined ? this.#world.nowUs : deadAtUs(node, endsMs),
    };
    this.#record(event);
  }

  #watch(node: SimNode, name: string, endsMs: number): void {
    this.#world.at(deadAtUs(node, endsMs), () => this.#tell(node, name, "expire"));
  }
}

/** Whether a lock key says that an owner holds it. */
export function isOwned(stored: StoredKey | undefined): boolean {
  return stored?.text.startsWith(MARKERS.owned) === true || stored?.fields !== undefined;
}

function holdsIn(names: NameHolds): Map<string, Hold> {
  const { lock, holds } = names;
  const owner = ownerIn(names);
  const found = new Map<string, Hold>();
  if (owner === undefined) return found;
  if (lock?.fields !== undefined && isForeign(lock.fields)) {
    for (const thread of threadsIn(lock.fields)) {
      found.set(thread, { endsMs: lock.expiresAtMs, owner: undefined });
    }
    return found;
  }
  for (const [field, value] of lock?.fields ?? holds?.fields ?? []) {
    if (!field.startsWith(HOLD_FIELD)) continue;
    const ownerId = textOf(field.slice(HOLD_FIELD.length));
    const isNameless = ownerId === owner;
    found.set(ownerId, { endsMs: numberIn(value), owner: isNameless ? undefined : owner });
  }
  return found;
}

/** The owner of the holds. */
function ownerIn({ lock }: NameHolds): string | undefined {
  if (lock?.text.startsWith(MARKERS.owned) === true) return lock.text.slice(MARKERS.owned.length);
  const fields = [...(lock?.fields?.keys() ?? [])];
  const owner = fields.find((field) => !field.startsWith(OWN_FIELDS));
  return owner === undefined ? undefined : textOf(owner);
}

/**
 * No hold of ours exists there, or a read-write lock of Redisson has entered, which leaves existing fields as they
 * are.
 */
function isForeign(fields: ReadonlyMap<string, string>): boolean {
  return fields.has("mode") || ![...fields.keys()].some((field) => field.startsWith(HOLD_FIELD));
}

/** Threads of Redisson, excluding those from before a read-write lock entered. */
function threadsIn(fields: ReadonlyMap<string, string>): string[] {
  const names = [...fields.keys()].filter((field) => !field.startsWith(OWN_FIELDS));
  return names.slice(names.indexOf("mode") + 1).map(textOf);
}

/** A hold exists through the whole of its last millisecond. */
function deadAtUs(node: SimNode, endsMs: number): number {
  return node.clock.trueAt((endsMs + 1) * 1_000);
}
