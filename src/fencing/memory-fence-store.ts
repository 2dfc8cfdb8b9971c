import { checkKnown, integer } from "../runtime/validate.js";
import { DEFAULT_RETENTION_MS, type FenceStore } from "./fence-store.js";
import { checkGrant } from "./grant.js";

/** Options of {@link MemoryFenceStore}. */
export interface MemoryFenceStoreOptions {
  /**
   * How long a fence is kept after its last use, ms. Default: one day. Shorter: less memory. Longer: a holder
   * that was paused that long is still rejected. `Infinity`: never removed.
   */
  readonly retentionMs?: number;
}

/**
 * Keeps fences in the memory of this process; they are lost when it ends. Use it for data that is kept in the process
 * too, or for a service with a single instance that writes nothing that outlives it.
 */
export class MemoryFenceStore implements FenceStore {
  /** In order of last use, the oldest first. */
  readonly #fences = new Map<string, { readonly fence: number; readonly usedMs: number }>();
  readonly #retentionMs: number;

  /** @throws TypeError, RangeError for unknown options or a retention that is not an integer number of ms */
  constructor(options: MemoryFenceStoreOptions = {}) {
    checkKnown(options, ["retentionMs"]);
    const { retentionMs = DEFAULT_RETENTION_MS } = options;
    this.#retentionMs =
      retentionMs === Number.POSITIVE_INFINITY
        ? retentionMs
        : integer("retentionMs", retentionMs, 1);
  }

  /** Number of resources that have a fence now. */
  get size(): number {
    return this.#fences.size;
  }

  /** See {@link FenceStore.lift}. @throws TypeError or RangeError for an invalid resource or token */
  lift(resource: string, fencingToken: number): number {
    const checked = checkGrant({ name: resource, fencingToken });
    const nowMs = performance.now();
    this.#forgetBefore(nowMs - this.#retentionMs);
    const fence = Math.max(this.#fences.get(resource)?.fence ?? 0, checked.fencingToken);
    // Deleted first, so that it moves to the end.
    this.#fences.delete(resource);
    this.#fences.set(resource, { fence, usedMs: nowMs });
    return fence;
  }

  #forgetBefore(limitMs: number): void {
    for (const [resource, { usedMs }] of this.#fences) {
      if (usedMs >= limitMs) return;
      this.#fences.delete(resource);
    }
  }
}
