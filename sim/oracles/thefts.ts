import type { HistoryEvent, KeyEvent } from "./history.js";

/** Who steals, and from whom. */
export class Thefts {
  /** Whose process it is that asked, by owner. */
  readonly #processes = new Map<string, string>();
  readonly #thieves = new Set<string>();

  see(event: HistoryEvent): void {
    if (event.kind !== "send" || event.op !== "acquire") return;
    this.#processes.set(event.ownerId, event.process);
    if (event.isTheft === true) this.#thieves.add(event.ownerId);
  }

  /** Whether somebody's key was taken by force. */
  isTheft({ op, by, before }: KeyEvent): boolean {
    return op === "acquire" && before !== undefined && before !== by && this.#thieves.has(by ?? "");
  }

  /**
   * Who was robbed by another process just now. Such a one cannot know it yet: from here on it is not
   * promised to be alone. Whoever is robbed by its own process has to have stopped to believe before.
   */
  robbedBy(event: HistoryEvent): string | undefined {
    if (event.kind !== "key" || !this.isTheft(event)) return undefined;
    const { before = "", by = "" } = event;
    return this.#processes.get(before) === this.#processes.get(by) ? undefined : before;
  }
}
