import type { NameKeys } from "../protocol/keys.js";
import { isNewerSize, type KnownSize, type SemaphoreSize } from "../protocol/semaphore-size.js";

/** So many names are remembered. The size of one that is forgotten is learned from the nodes again. */
const MAX_NAMES = 10_000;

/**
 * The sizes of the semaphores that were resized, as far as this process has heard. Hints: a node knows by itself which
 * permits there are. But what is known here is sent along, and so brought to nodes that do not know it.
 */
export class KnownSizes {
  readonly #sizes = new Map<string, SemaphoreSize>();
  /** By lock key, while nodes are asked for it: when all are answered that have asked, or came after one that has. */
  readonly #asked = new Map<string, Promise<unknown>>();

  /** @param count what it has before it is resized, as far as its users agree */
  of({ lockKey }: NameKeys, count: number): KnownSize {
    const sizes = this.#sizes;
    const given = { count, version: 0 };
    return {
      get current() {
        return sizes.get(lockKey) ?? given;
      },
      learn: (size) => this.#learn(lockKey, size),
    };
  }

  isAsked({ lockKey }: NameKeys): boolean {
    return this.#asked.has(lockKey);
  }

  /**
   * For calls that are to wait for permits in the order in which they came: goes on when the nodes have answered, and
   * after all that have called this before for that semaphore.
   *
   * @param question undefined for one that only comes after others
   * @throws what `goOn` does
   */
  async inTurn(
    { lockKey }: NameKeys,
    question: Promise<unknown> | undefined,
    goOn: () => void,
  ): Promise<void> {
    const both = Promise.allSettled([this.#asked.get(lockKey), question]);
    // Without what they result in: each would keep that of all before it.
    const all = both.then(() => {});
    this.#asked.set(lockKey, all);
    await all;
    try {
      goOn();
    } finally {
      if (this.#asked.get(lockKey) === all) this.#asked.delete(lockKey);
    }
  }

  #learn(lockKey: string, size: SemaphoreSize): void {
    const sizes = this.#sizes;
    const known = sizes.get(lockKey);
    if (known === undefined ? size.version === 0 : !isNewerSize(size, known)) return;
    const [oldest] = sizes.keys();
    if (known === undefined && sizes.size === MAX_NAMES && oldest !== undefined)
      sizes.delete(oldest);
    sizes.set(lockKey, size);
  }
}
