import { show } from "../../runtime/validate.js";
import type { LossReason, LossCause } from "../../coordinator/loss.js";
import type { LeaseHandle } from "../../coordinator/lease.js";
import type { ExtendResult } from "../../coordinator/lease-renewal.js";
import type { ReleaseResult } from "../../coordinator/release-result.js";
import type { LockKind } from "../../protocol/lock-kind.js";

/** One lock with several handles: the last release frees it, a loss is reported to all. */
export class SharedLease {
  /** The lock itself. */
  readonly lease: LeaseHandle;
  /** Handles that are not released. */
  readonly #handles = new Set<Handle>();

  constructor(lease: LeaseHandle) {
    this.lease = lease;
    lease.onLost = (reason) => {
      for (const handle of [...this.#handles]) handle.onLost?.(reason);
    };
  }

  /** Whether any handle is not released; the lock is held or lost, but in use. */
  get isOpen(): boolean {
    return this.#handles.size > 0;
  }

  /** The reason of its loss, by the clock, if it was lost. */
  get lossReason(): LossReason | undefined {
    this.lease.isHeld();
    return this.lease.lossReason;
  }

  /** Adds a handle. */
  join(): LeaseHandle {
    const handle = new Handle(this);
    this.#handles.add(handle);
    return handle;
  }

  /** Called by the handle. Only with a single one: others would lose the lock without a reported loss. */
  give(handle: Handle): void {
    if (this.#handles.size > 1) {
      const { name } = this.lease.keys;
      throw new RangeError(`a lock that was joined cannot be handed over: ${show(name)}`);
    }
    this.lease.give();
    this.#handles.delete(handle);
  }

  /** Called by the handle. */
  release(handle: Handle): Promise<ReleaseResult> {
    const isHeld = this.lease.isHeld();
    this.#handles.delete(handle);
    if (!this.isOpen) return this.lease.release();
    return Promise.resolve(isHeld ? "released" : "expired");
  }
}

/** The handle of one caller: shows all that the lock shows, until its own release. */
class Handle implements LeaseHandle {
  onLost: ((reason: LossReason) => void) | undefined;
  readonly #lease: LeaseHandle;
  readonly #hold: SharedLease;
  /** It was released while the lock was held: it does not report later losses. */
  #isReleased = false;
  #isGiven = false;
  #releasing: Promise<ReleaseResult> | undefined;

  constructor(hold: SharedLease) {
    this.#lease = hold.lease;
    this.#hold = hold;
  }

  get settings(): LeaseHandle["settings"] {
    return this.#lease.settings;
  }

  get isGiven(): boolean {
    return this.#isGiven;
  }

  get keys(): LockKind {
    return this.#lease.keys;
  }

  get ownerId(): string {
    return this.#lease.ownerId;
  }

  get fencingToken(): number | undefined {
    return this.#lease.fencingToken;
  }

  get state(): LeaseHandle["state"] {
    return this.#isReleased ? "released" : this.#lease.state;
  }

  get lossReason(): LossReason | undefined {
    return this.#isReleased ? undefined : this.#lease.lossReason;
  }

  get lossCause(): LossCause | undefined {
    return this.#isReleased ? undefined : this.#lease.lossCause;
  }

  get remainingMs(): number {
    return this.#isReleased ? 0 : this.#lease.remainingMs;
  }

  get minHoldLeftMs(): number {
    return this.#lease.minHoldLeftMs;
  }

  isHeld(): boolean {
    return !this.#isReleased && this.#lease.isHeld();
  }

  extend(ttlMs?: number): Promise<ExtendResult> {
    return this.#isReleased ? Promise.resolve({ kind: "lost" }) : this.#lease.extend(ttlMs);
  }

  proclaim(value: string): Promise<ExtendResult> {
    return this.#isReleased ? Promise.resolve({ kind: "lost" }) : this.#lease.proclaim(value);
  }

  /** Counts once, however often it is called. */
  release(): Promise<ReleaseResult> {
    if (this.#releasing === undefined) {
      this.#isReleased = this.#lease.isHeld();
      this.#releasing = this.#hold.release(this);
    }
    return this.#releasing;
  }

  /** @throws RangeError if there are other handles; nothing changes then */
  give(): void {
    this.#hold.give(this);
    this.#isReleased = true;
    this.#isGiven = true;
    this.#releasing = Promise.resolve("handedOver");
  }
}
