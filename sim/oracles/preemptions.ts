import type { HistoryEvent, KeyEvent } from "./history.js";

/** Requests that steal, operators that end locks by force, and their victims. */
export class Preemptions {
  /** The process that asked, by owner. */
  readonly #processes = new Map<string, string>();
  readonly #preempting = new Set<string>();
  /** Owners that an operator ends by force. */
  readonly #ended = new Set<string>();

  see(event: HistoryEvent): void {
    if (event.kind !== "send") return;
    if (event.op === "revoke") this.#ended.add(event.ownerId);
    if (event.op !== "acquire") return;
    this.#processes.set(event.ownerId, event.process);
    if (event.isPreempting === true) this.#preempting.add(event.ownerId);
  }

  /** Whether an operator has begun to end the lock by force. */
  isEnded(ownerId: string): boolean {
    return this.#ended.has(ownerId);
  }

  /** Whether any key was taken by force. */
  isPreempting({ op, by, before }: KeyEvent): boolean {
    return (
      op === "acquire" && before !== undefined && before !== by && this.#preempting.has(by ?? "")
    );
  }

  /**
   * Who was preempted by another process, or ended by force, just now. Such a one cannot know it yet: from here on it is not
   * promised to be alone. So it is with whom foreign code robs by mistake. Whoever is preempted by its own process has to have stopped to believe before.
   */
  preemptedBy(event: HistoryEvent): string | undefined {
    if (event.kind !== "key") return undefined;
    if (event.isTrespass === true) return event.before;
    const { before = "", by = "" } = event;
    if (event.op === "release" && this.#ended.has(before)) return before;
    if (!this.isPreempting(event)) return undefined;
    return this.#processes.get(before) === this.#processes.get(by) ? undefined : before;
  }
}
