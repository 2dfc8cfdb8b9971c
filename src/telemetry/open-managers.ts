import type { NodeStatus, QuorumStatus } from "../events.js";
import type { LockKind } from "../protocol/lock-kind.js";

/** What a lock manager shows to whoever measures it. */
export interface ShownManager {
  nodes(): readonly NodeStatus[];
  quorum(): QuorumStatus;
  /** The locks that it holds. */
  readonly held: Iterable<{ readonly keys: LockKind }>;
  /** How many acquires wait in it, by name. */
  waiting(): Iterable<{ readonly keys: LockKind; readonly size: number }>;
}

/** Weakly: a manager that was dropped without having been closed is not kept for this. */
const opened = new Set<WeakRef<OpenedManager>>();

/** A lock manager's entry among those of this process that are open. */
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

/** The lock managers of this process that are open. */
export function openManagers(): ShownManager[] {
  return [...opened].flatMap((ref) => {
    const manager = ref.deref();
    if (manager === undefined) opened.delete(ref);
    return manager?.shown ?? [];
  });
}
