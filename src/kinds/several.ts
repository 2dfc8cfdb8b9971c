import type { NameKeys } from "../protocol/keys.js";
import type { LockKind, QueueRules } from "../protocol/lock-kind.js";
import { Exclusive, isCoveredByMutex } from "./exclusive.js";
import { OneName, WHOLE_NAME } from "./one-name.js";

/**
 * What is in its way may be another name than that for which it waits: it learns of that by asking only, must
 * not be called up for the first name again, and lets those pass who want that name alone.
 */
const QUEUE: QueueRules = { ...WHOLE_NAME, rotates: true, rejoins: false };

/**
 * Plain mutexes of several names that are taken, re-timed and let go of together. Each keeps the keys
 * that it has alone. The set waits in the queue of its first name.
 */
class Several extends OneName {
  readonly #all: readonly NameKeys[];
  readonly #scriptKeys: readonly string[];

  /** @param others one or more, behind the first in the order of their lock keys */
  constructor(first: NameKeys, others: readonly NameKeys[]) {
    const all = [first, ...others];
    super({ ...first, name: all.map(({ name }) => name).join(", ") });
    this.#all = all;
    this.#scriptKeys = others.flatMap(({ lockKey, fenceKey, queueKey }) => {
      return [lockKey, fenceKey, queueKey];
    });
  }

  get id(): "several" {
    return "several";
  }

  get words(): string {
    return "a lock of several names";
  }

  override get names(): readonly string[] {
    return this.#all.map(({ name }) => name);
  }

  override get lockKeys(): readonly string[] {
    return this.#all.map(({ lockKey }) => lockKey);
  }

  override get scriptKeys(): readonly string[] {
    return this.#scriptKeys;
  }

  override includes(lockKey: string): boolean {
    return this.#all.some((each) => each.lockKey === lockKey);
  }

  override get queue(): QueueRules {
    return QUEUE;
  }

  override covers(other: LockKind): boolean {
    return isCoveredByMutex(other);
  }
}

/**
 * A lock of all these names, whatever their order; of one name it is the plain mutex.
 *
 * @param all one or more, of different names
 */
export function lockOfAll(all: readonly NameKeys[]): LockKind {
  const [first, ...others] = all.toSorted((a, b) => (a.lockKey < b.lockKey ? -1 : 1));
  if (first === undefined) throw new RangeError("a set of no names");
  return others.length === 0 ? new Exclusive(first) : new Several(first, others);
}
