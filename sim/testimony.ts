import type { LockLostError } from "../src/api/errors.js";
import type { Recorder } from "./recorder.js";
import { nameOf } from "./service.js";
import type { SimLock } from "./sim-lock.js";
import type { SimProcess } from "./sim-process.js";

/** Records what the service in one process is told of its locks. */
export class Testimony {
  readonly #process: SimProcess;
  readonly #record: Recorder;
  /** Owners whose loss was reported. */
  readonly #lost = new Set<string>();

  constructor(process: SimProcess, record: Recorder) {
    this.#process = process;
    this.#record = record;
  }

  /** The service was told that it holds the lock. */
  onHeld(had: SimLock): void {
    this.#record({ kind: "check", ...this.#about(had), token: had.token });
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
      const leaseMs = this.#process.peekLeaseMs();
      this.#record({ kind: "lost", ...this.#about(had), reason, leaseMs });
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  }

  #about(had: SimLock) {
    const { ownerId } = had;
    return { process: this.#process.name, name: nameOf(had), ownerId };
  }
}
