import type { HistoryEvent } from "./oracles/history.js";
import type { LockLostError } from "../src/errors.js";
import { nameOf } from "./service.js";
import type { SimLock } from "./sim-lock.js";
import type { SimProcess } from "./sim-process.js";
import type { World } from "./world.js";

/** Records what the service in one process is told of its locks. */
export class Testimony {
  readonly #process: SimProcess;
  readonly #world: World;
  readonly #record: (event: HistoryEvent) => void;
  /** Owners whose loss was reported. */
  readonly #lost = new Set<string>();

  constructor(process: SimProcess, world: World, record: (event: HistoryEvent) => void) {
    this.#process = process;
    this.#world = world;
    this.#record = record;
  }

  /** The service was told that it holds the lock. */
  onHeld(had: SimLock): void {
    this.#record({ kind: "check", ...this.#about(had) });
  }

  onHandle(had: SimLock, what: "join" | "leave"): void {
    const { lock, handle } = had;
    if (handle === undefined) return;
    const about = { ...this.#about(had), handle, what };
    this.#record({ kind: "handle", ...about, isHeld: lock.isHeld });
  }

  /** From now on, the loss of the lock is recorded; with several handles, the first report counts. */
  watch(had: SimLock): void {
    const { signal } = had.lock;
    const onAbort = (): void => {
      const { reason } = signal.reason as LockLostError;
      if (reason === "released" || this.#lost.has(had.ownerId)) return;
      this.#lost.add(had.ownerId);
      this.#record({ kind: "lost", ...this.#about(had), reason });
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  }

  #about(had: SimLock) {
    const { ownerId } = had;
    return { atUs: this.#world.nowUs, process: this.#process.name, name: nameOf(had), ownerId };
  }
}
