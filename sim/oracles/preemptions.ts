import type { HistoryEvent, KeyEvent } from "./history.js";

/** Stealing requests, and their victims. */
export class Preemptions {
  /** The process that asked, by owner. */
  readonly #processes = new Map<string, string>();
  readonly #preempting = new Set<string>();

  see(event: HistoryEvent): void {
    if (event.kind !== "send" || event.op !== "acquire") return;
    this.#processes.set(event.ownerId, event.process);
    if (event.isPreempting === true) this.#preempting.add(event.ownerId);
  }

  /** Whether any key was taken by force. */
  isPreempting({ op, by, before }: KeyEvent): boolean {
    return (
      op === "acquire" && before !== undefined && before !== by && this.#preempting.has(by ?? "")
    );
  }

  /**
   * Who was preempted by another process just now. Such a one cannot know it yet: from here on it is not
   * promised to be alone. So it is with whom foreign code robs by mistake. Whoever is preempted by its own process has to have stopped to believe before.
   */
  preemptedBy(event: HistoryEvent): string | undefined {
    if (event.kind !== "key") return undefined;
    if (event.isTrespass === true) return event.before;
    if (!this.isPreempting(event)) return undefined;
    const { before = "", by = "" } = event;
    return this.#processes.get(before) === this.#processes.get(by) ? undefined : before;
  }
}
