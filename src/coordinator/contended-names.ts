import type { LockKind } from "../protocol/lock-kind.js";

/** How many names are remembered. */
export const MAX_CONTENDED_NAMES = 1_024;

/** How long a name is remembered after its last grant or refusal, ms. */
export const CONTENDED_MS = 5_000;

/**
 * Names that other clients wanted recently. An acquire for one of them enters the nodes' queues with its first
 * attempt: as a newcomer it would be refused, rolled back, and have to ask again for its place. If nobody wants the
 * name any more, that attempt is granted and the name is dropped from here.
 */
export class ContendedNames {
  /** By wait queue, lease clock, ms; the most recently seen is last. */
  readonly #untilMs = new Map<string, number>();

  /** It was granted. @param isContended other clients want the name, or held it */
  onGranted({ waitQueueKey, queue }: LockKind, isContended: boolean, nowMs: number): void {
    if (this.#untilMs.size > 0) this.#untilMs.delete(waitQueueKey);
    // A first refusal says little where locks are shared; in a set of names it does not say whose queue to join.
    if (!isContended || !queue.rejoins || queue.admitsOthers) return;
    this.#untilMs.set(waitQueueKey, nowMs + CONTENDED_MS);
    if (this.#untilMs.size <= MAX_CONTENDED_NAMES) return;
    const [oldest = waitQueueKey] = this.#untilMs.keys();
    this.#untilMs.delete(oldest);
  }

  has({ waitQueueKey }: LockKind, nowMs: number): boolean {
    if (this.#untilMs.size === 0) return false;
    return nowMs < (this.#untilMs.get(waitQueueKey) ?? Number.NEGATIVE_INFINITY);
  }
}
