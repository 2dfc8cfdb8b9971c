import { refuseUnsent, type Entry } from "./entry.js";

/**
 * Entries of batches that met NOSCRIPT, in order, except those that their own release overtakes.
 *
 * NOSCRIPT has no number. That it was the reply to their call is known once the replies to all calls in flight have
 * arrived, each with its number: until then, they may have been executed.
 */
export class Unexecuted {
  #entries: Entry[] = [];
  /** Owners whose release was executed after a batch that was not. */
  #released = new Set<string>();

  get size(): number {
    return this.#entries.length;
  }

  add(entries: readonly Entry[]): void {
    this.#entries.push(...entries);
  }

  /** They were executed, or may be, after the entries here. */
  onExecuted(entries: readonly Entry[]): void {
    for (const { operation } of entries) {
      if (operation.kind === "release") this.#released.add(operation.ownerId);
    }
  }

  /** Removes all. It is unknown whether they were executed: the connection has closed before the last reply. */
  takeUnknown(): Entry[] {
    this.#released.clear();
    return this.#entries.splice(0);
  }

  /** Removes what is to be sent again, and refuses the rest. */
  takeAll(): Entry[] {
    const overtaken = this.#released;
    this.#released = new Set();
    return this.#entries.splice(0).filter((entry) => {
      const isOvertaken = overtaken.has(entry.operation.ownerId);
      if (isOvertaken) refuseUnsent(entry, "server", "its release was executed before it");
      return !isOvertaken;
    });
  }
}
