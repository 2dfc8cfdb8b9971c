import type { LockKind } from "../protocol/lock-kind.js";

/** So many are remembered. */
export const MAX_CONTENDED_NAMES = 1_024;

/** For so long after its last grant, or refusal, ms. */
export const CONTENDED_MS = 5_000;

/**
 * Names that others wanted not long ago. Who wants one of them again stands in its queue from its first attempt on: a
 * newcomer would only be refused, taken back, and ask again for its place. Where nobody wants it any more that
 * attempt is granted, and the name forgotten.
 */
export class ContendedNames {
  /** By wait queue, lease clock, ms; the one that was seen last is the last. */
  readonly #untilMs = new Map<string, number>();

  /** Others want it, or have it. */
  add({ waitQueueKey }: LockKind, nowMs: number): void {
    this.#untilMs.delete(waitQueueKey);
    this.#untilMs.set(waitQueueKey, nowMs + CONTENDED_MS);
    if (this.#untilMs.size <= MAX_CONTENDED_NAMES) return;
    const [oldest = waitQueueKey] = this.#untilMs.keys();
    this.#untilMs.delete(oldest);
  }

  delete({ waitQueueKey }: LockKind): void {
    if (this.#untilMs.size > 0) this.#untilMs.delete(waitQueueKey);
  }

  has({ waitQueueKey }: LockKind, nowMs: number): boolean {
    if (this.#untilMs.size === 0) return false;
    return nowMs < (this.#untilMs.get(waitQueueKey) ?? Number.NEGATIVE_INFINITY);
  }
}
