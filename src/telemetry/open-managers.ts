import type { NodeStatus, QuorumStatus } from "../api/events.js";
import type { LockKind } from "../protocol/lock-kind.js";

/** What a lock manager shows to metrics. */
export interface ShownManager {
  nodes(): readonly NodeStatus[];
  quorum(): QuorumStatus;
  /** The locks that it holds. */
  readonly held: Iterable<{ readonly keys: LockKind }>;
  /** Number of waiting acquires, by name. */
  waiting(): Iterable<{ readonly keys: LockKind; readonly size: number }>;
}

/** Weak references: a manager that was dropped without being closed is not kept alive. */
const opened = new Set<WeakRef<OpenedManager>>();

/** A lock manager's entry in the list of open managers of this process. */
export class OpenedManager {
  readonly shown: ShownManager;
  readonly #ref = new WeakRef(this);

  constructor(shown: ShownManager) {
    this.shown = shown;
    opened.add(this.#ref);
  }

  close(): void {
    opened.delete(this.#ref);
  }
}

/** The open lock managers of this process. */
export function openManagers(): ShownManager[] {
  return [...opened].flatMap((ref) => {
    const manager = ref.deref();
    if (manager === undefined) opened.delete(ref);
    return manager?.shown ?? [];
  });
}
