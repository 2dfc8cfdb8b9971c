import type { AnyOperation } from "../protocol/operation.js";
import { withoutPlace } from "./deferred-acquires.js";
import type { Entry } from "./entry.js";

/**
 * How many releases that failed are kept. A node that cannot write fails all of them, those of acquires that it refused
 * to execute, too: there can be thousands a second. The keys of the oldest expire first.
 */
const MAX_FAILED = 4_096;

/**
 * Releases that a node has not confirmed, kept until it is back, or executes them again: one that cannot write (its
 * replicas or its disk are gone) answers with an error and keeps the keys.
 *
 * Those of a connection that has closed: what the node had answered by the time it closed is gone one key
 * life later, and so need not be released any more. What it had not answered may be executed at any later time: a
 * stopped node does that when it continues, whether or not its client has closed the connection. Such a release is
 * kept for however long the node is away.
 */
export class PendingReleases {
  #entries: Entry[] = [];
  #closedAtMs: number | undefined;
  /** The owners of what was unanswered when the connection closed, and those whose acquires were deferred with it. */
  #unanswered: ReadonlySet<string> = new Set();

  get size(): number {
    return this.#entries.length;
  }

  /** The connection that may have carried the acquires closed (monotonic ms), with `unanswered` on its way. */
  onClosed(steadyMs: number, unanswered: readonly Entry[]): void {
    this.#closedAtMs = steadyMs;
    this.#unanswered = new Set(
      unanswered.flatMap(({ operation }) => {
        const { ownerId, waiter }: AnyOperation = operation;
        return [ownerId, waiter?.deferred?.ownerId ?? ownerId];
      }),
    );
  }

  /** Keeps the entry, or reports that none of its keys can be on the node any more. */
  keep(entry: Entry, steadyMs: number): boolean {
    if (!this.#canMatter(entry, steadyMs)) return false;
    // Who waits now may be gone when it is sent; who does not is back with the next refresh of its place.
    this.#entries.push({ ...entry, operation: withoutPlace(entry.operation) });
    return true;
  }

  /** The node has answered it with an error, and its caller knows. It is kept until its keys have expired there. */
  keepFailed(entry: Entry, steadyMs: number): void {
    const { operation } = entry;
    if (operation.kind !== "release") return;
    const { owedUntilMs = steadyMs + operation.ttlMs } = entry;
    if (this.#entries.length >= MAX_FAILED) {
      const at = this.#entries.findIndex((each) => each.owedUntilMs !== undefined);
      if (at >= 0) this.#entries.splice(at, 1);
    }
    this.keep({ ...entry, owedUntilMs }, steadyMs);
  }

  /** Removes and returns the first that can still matter, to find out whether the node executes it now. */
  takeOne(steadyMs: number): Entry | undefined {
    this.prune(steadyMs);
    return this.#entries.shift();
  }

  /** Removes and returns all that can still matter, in order. */
  takeAll(steadyMs: number): Entry[] {
    this.prune(steadyMs);
    return this.#entries.splice(0);
  }

  /** Drops what can no longer matter. */
  prune(steadyMs: number): void {
    this.#entries = this.#entries.filter((entry) => this.#canMatter(entry, steadyMs));
  }

  #canMatter({ operation, owedUntilMs }: Entry, steadyMs: number): boolean {
    if (operation.kind !== "release") return false;
    if (owedUntilMs !== undefined) return steadyMs < owedUntilMs;
    if (this.#closedAtMs === undefined) return false;
    return this.#unanswered.has(operation.ownerId) || steadyMs < this.#closedAtMs + operation.ttlMs;
  }
}
