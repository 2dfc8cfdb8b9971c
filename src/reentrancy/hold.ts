import type { LossReason } from "../coordinator/context.js";
import type { HeldLease } from "../coordinator/held-lease.js";
import type { ExtendResult } from "../coordinator/holding.js";
import type { ReleaseResult } from "../coordinator/release.js";
import type { NameKeys } from "../protocol/keys.js";

/** One lock with several handles: the last release frees it, a loss is told to all. */
export class Hold {
  readonly #lease: HeldLease;
  /** Those that are not released. */
  readonly #handles = new Set<Handle>();

  constructor(lease: HeldLease) {
    this.#lease = lease;
    lease.onLost = (reason) => {
      for (const handle of [...this.#handles]) handle.onLost?.(reason);
    };
  }

  get keys(): NameKeys {
    return this.#lease.keys;
  }

  get fencingToken(): number | undefined {
    return this.#lease.fencingToken;
  }

  /** Whether a handle is not released; held or lost, but not over. */
  get isOpen(): boolean {
    return this.#handles.size > 0;
  }

  /** Why it was lost, by the clock, if it was. */
  get lossReason(): LossReason | undefined {
    this.#lease.isHeld();
    return this.#lease.lossReason;
  }

  /** One handle more. */
  join(): HeldLease {
    const handle = new Handle(this.#lease, () => this.#release(handle));
    this.#handles.add(handle);
    return handle;
  }

  #release(handle: Handle): Promise<ReleaseResult> {
    const isHeld = this.#lease.isHeld();
    this.#handles.delete(handle);
    if (!this.isOpen) return this.#lease.release();
    return Promise.resolve(isHeld ? "released" : "expired");
  }
}

/** What one who joined has of the lock: all that the lock tells, until its own release. */
class Handle implements HeldLease {
  onLost: ((reason: LossReason) => void) | undefined;
  readonly #lease: HeldLease;
  readonly #letGo: () => Promise<ReleaseResult>;
  /** It was released while the lock was held: a loss after that is not its business. */
  #isReleased = false;
  #releasing: Promise<ReleaseResult> | undefined;

  constructor(lease: HeldLease, letGo: () => Promise<ReleaseResult>) {
    this.#lease = lease;
    this.#letGo = letGo;
  }

  get keys(): NameKeys {
    return this.#lease.keys;
  }

  get ownerId(): string {
    return this.#lease.ownerId;
  }

  get fencingToken(): number | undefined {
    return this.#lease.fencingToken;
  }

  get state(): HeldLease["state"] {
    return this.#isReleased ? "released" : this.#lease.state;
  }

  get lossReason(): LossReason | undefined {
    return this.#isReleased ? undefined : this.#lease.lossReason;
  }

  get remainingMs(): number {
    return this.#isReleased ? 0 : this.#lease.remainingMs;
  }

  isHeld(): boolean {
    return !this.#isReleased && this.#lease.isHeld();
  }

  extend(): Promise<ExtendResult> {
    return this.#isReleased ? Promise.resolve({ kind: "lost" }) : this.#lease.extend();
  }

  /** Counts once, however often it is called. */
  release(): Promise<ReleaseResult> {
    if (this.#releasing === undefined) {
      this.#isReleased = this.#lease.isHeld();
      this.#releasing = this.#letGo();
    }
    return this.#releasing;
  }
}
