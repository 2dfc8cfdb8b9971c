import type { Entry } from "./entry.js";

/**
 * Releases that a node has not confirmed, kept until it is back.
 *
 * Their keys were stored over an earlier connection, whose bytes may still be executed until it closes. So a release
 * is dropped one key life after that *close*, never after its own sending: a stopped node executes what it had
 * received when it continues.
 */
export class PendingReleases {
  #entries: Entry[] = [];
  #closedAtMs: number | undefined;

  get size(): number {
    return this.#entries.length;
  }

  /** The connection that may have carried the acquires closed (monotonic ms). */
  onClosed(steadyMs: number): void {
    this.#closedAtMs = steadyMs;
  }

  /** Keeps the entry, or reports that none of its keys can be on the node any more. */
  keep(entry: Entry, steadyMs: number): boolean {
    if (this.#closedAtMs === undefined) return false;
    if (steadyMs >= this.#closedAtMs + entry.operation.ttlMs) return false;
    this.#entries.push(entry);
    return true;
  }

  /** Removes and returns all that can still matter, in order. */
  takeAll(steadyMs: number): Entry[] {
    const closedAtMs = this.#closedAtMs ?? Number.NEGATIVE_INFINITY;
    const due = this.#entries.filter((entry) => steadyMs < closedAtMs + entry.operation.ttlMs);
    this.#entries = [];
    return due;
  }

  /** Drops what can no longer matter. */
  prune(steadyMs: number): void {
    if (this.#entries.length > 0) this.#entries = this.takeAll(steadyMs);
  }
}
