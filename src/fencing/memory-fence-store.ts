import { checkKnown, integer } from "../validate.js";
import { DEFAULT_RETENTION_MS, type FenceStore } from "./fence-store.js";
import { checkGrant } from "./grant.js";

/** Options of {@link MemoryFenceStore}. */
export interface MemoryFenceStoreOptions {
  /**
   * How long a fence is kept after its last use, ms. Default: one day. Shorter: less memory. Longer: a holder
   * that sleeps that long is still refused. `Infinity`: never removed.
   */
  readonly retentionMs?: number;
}

/**
 * Fences in this process. They live as long as it does: right for data that lives in the process
 * as well, and for a service that runs once and writes nothing that outlives it.
 */
export class MemoryFenceStore implements FenceStore {
  /** Those that were used longest ago come first. */
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

  /** How many resources have a fence at present. */
  get size(): number {
    return this.#fences.size;
  }

  lift(resource: string, fencingToken: number): number {
    const checked = checkGrant({ name: resource, fencingToken });
    const nowMs = performance.now();
    this.#forgetBefore(nowMs - this.#retentionMs);
    const fence = Math.max(this.#fences.get(resource)?.fence ?? 0, checked.fencingToken);
    // Taken out first, so that it moves to the end.
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
