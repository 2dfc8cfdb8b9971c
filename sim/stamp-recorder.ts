import { textOf } from "../src/memory/bytes.js";
import { TIMESTAMP_MARGIN_MS, timestampLayoutOf } from "../src/protocol/lock-layout.js";
import { getOrAdd } from "./oracles/get-or-add.js";
import { doneBy, type KeyChange } from "./node-keys.js";
import type { Recorder } from "./recorder.js";
import type { SimNode } from "./sim-node.js";
import type { StoredKey } from "./stored-key.js";
import type { World } from "./world.js";

/** The owner of a lock key that contains the instant at which it ends. */
interface Standing {
  readonly ownerId: string;
  /** The last millisecond of the node's clock in which it is not over. */
  readonly expiresAtMs: number;
}

/** One name on one node. */
interface NameStamps {
  lock: StoredKey | undefined;
  /** The key that names the owner of our timestamp. */
  owner: StoredKey | undefined;
  /** The foreign code that last wrote the lock key. */
  foreigner: string;
  told: Standing | undefined;
}

/**
 * Records who holds locks on the nodes whose lock keys contain the instant at which they end. The holder is one of
 * ours while the key beside it names the same timestamp and the lock key has an expiry. Otherwise it is the code that
 * wrote the key, until the lock has been over for the margin that others' clocks are allowed.
 */
export class StampRecorder {
  readonly #world: World;
  readonly #record: Recorder;
  readonly #names = new Map<string, NameStamps>();

  constructor(world: World, record: Recorder) {
    this.#world = world;
    this.#record = record;
  }

  /** Records nothing by itself: the lock key changes in the same step and triggers the event. */
  onOwnerKey(node: SimNode, name: string, stored: StoredKey | undefined): void {
    this.#of(node, name).owner = stored;
  }

  onLockKey(node: SimNode, name: string, stored: StoredKey | undefined, by: KeyChange["by"]): void {
    const stamps = this.#of(node, name);
    this.#bury(node, name, stamps);
    stamps.lock = stored;
    if (typeof by === "object" && by.kind === "foreign") stamps.foreigner = by.ownerId;
    const before = stamps.told;
    const after = standingIn(stamps);
    if (before?.ownerId === after?.ownerId && before?.expiresAtMs === after?.expiresAtMs) return;
    stamps.told = after;
    this.#write(node, name, [before, after], by);
    if (after !== undefined) {
      this.#world.at(node.deadAtUs(after), () => this.#bury(node, name, stamps));
    }
  }

  #of(node: SimNode, name: string): NameStamps {
    return getOrAdd(this.#names, `${node.index} ${name}`, () => {
      return { lock: undefined, owner: undefined, foreigner: "", told: undefined };
    });
  }

  /** A lock that is over is no longer held, although its key still exists. */
  #bury(node: SimNode, name: string, stamps: NameStamps): void {
    const { told } = stamps;
    if (told === undefined || told.expiresAtMs >= node.nowMs) return;
    stamps.told = undefined;
    this.#write(node, name, [told, undefined], "expire");
  }

  #write(
    node: SimNode,
    name: string,
    [before, after]: readonly [Standing | undefined, Standing | undefined],
    by: KeyChange["by"],
  ): void {
    const done = doneBy(by);
    // Two locks that end in the same second look the same to code that compares instants before it deletes.
    const isMistaken = done.op === "foreign" && after === undefined && before?.ownerId !== done.by;
    this.#record({
      kind: "key",
      node: node.index,
      name,
      before: before?.ownerId,
      after: after?.ownerId,
      ...done,
      ...(isMistaken && { isTrespass: true }),
      deadUs: after === undefined ? this.#world.nowUs : node.deadAtUs(after),
    });
  }
}

function standingIn({ lock, owner, foreigner }: NameStamps): Standing | undefined {
  if (lock === undefined) return undefined;
  const stamp = lock.text;
  const [, ownStamp, ownerId = ""] = /^(\d+) (.*)$/s.exec(textOf(owner?.text ?? "")) ?? [];
  const isOurs = ownStamp === stamp && lock.expiresAtMs < Number.POSITIVE_INFINITY;
  if (isOurs) return { ownerId, expiresAtMs: lock.expiresAtMs };
  const unitMs = timestampLayoutOf(stamp) === "timestamp" ? 1 : 1_000;
  const freeMs = Math.ceil(Number(stamp) * unitMs + TIMESTAMP_MARGIN_MS);
  return { ownerId: foreigner, expiresAtMs: freeMs - 1 };
}
