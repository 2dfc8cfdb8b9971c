import { companionKey, type NameKeys } from "../protocol/keys.js";
import type { PlacePrefix, QueueRules, Slots } from "../protocol/lock-kind.js";
import { OneName, WHOLE_NAME } from "./one-name.js";

const PREFIX: PlacePrefix = "s";

/** Whoever waits for any permit must not be called up for the one that others have on other nodes. */
const QUEUE: QueueRules = {
  ...WHOLE_NAME,
  placePrefix: PREFIX,
  leavePrefix: PREFIX,
  rejoins: false,
  isRefreshed: true,
};

/**
 * One of the permits of a semaphore, or any of them. Each is a mutex of its own, a *slot*: to count
 * holders on each node by itself would let more in than there are permits, because each node may count others.
 */
export class Permit extends OneName implements Slots {
  /** How many permits there are. */
  readonly count: number;
  readonly slot: number | undefined;
  readonly #scriptKeys: readonly string[];

  /** @param slot from 0, of an attempt and of the lock it leads to; undefined for one that waits for any */
  constructor(keys: NameKeys, count: number, slot?: number) {
    super(keys);
    this.count = count;
    this.slot = slot;
    this.#scriptKeys = [companionKey("slots", keys.lockKey)];
  }

  get id(): "slot" {
    return "slot";
  }

  get words(): string {
    return "a permit";
  }

  override get slots(): Slots {
    return this;
  }

  at(slot: number): Permit {
    return new Permit(this, this.count, slot);
  }

  override get scriptKeys(): readonly string[] {
    return this.#scriptKeys;
  }

  override get scriptArgs(): readonly string[] {
    return [String(this.count), this.slot === undefined ? "" : String(this.slot)];
  }

  override get placeKeys(): readonly string[] {
    return this.#scriptKeys;
  }

  override get placeArgs(): readonly string[] {
    return [String(this.count)];
  }

  /** Those who want a permit do not stand in one line with those who want the name as a whole. */
  override get lineKey(): string {
    return this.queueKey;
  }

  /** No lock key begins as ours do, so that it is none. */
  override get holderKey(): string {
    return this.slot === undefined ? this.lockKey : `${this.queueKey}#${this.slot}`;
  }

  override get queue(): QueueRules {
    return QUEUE;
  }
}
