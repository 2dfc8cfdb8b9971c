import { inspect } from "node:util";
import type { Lock, LockDescription } from "./face/lock.js";
import { LockLostError, QuorumUnreachableError } from "./errors.js";
import { nodeVotes } from "./tally.js";
import type { LeaseHandle } from "./coordinator/lease-handle.js";
import type { Clock } from "./coordinator/ports.js";
import { lossErrorOf } from "./loss-error.js";
import type { LockMode } from "./options/options.js";
import type { ReleaseResult } from "./coordinator/release-result.js";
import { checkGivable, type GivenLock } from "./inspect/given-lock.js";

/** A lock that a coordinator holds, as its user sees it. */
export class LeasedLock implements Lock {
  readonly #lease: LeaseHandle;
  readonly #nodeNames: readonly string[];
  readonly #clock: Clock;
  #controller: AbortController | undefined;

  constructor(lease: LeaseHandle, nodeNames: readonly string[], clock: Clock) {
    this.#lease = lease;
    this.#nodeNames = nodeNames;
    this.#clock = clock;
    lease.onLost = () => this.#controller?.abort(this.#lostError());
  }

  get name(): string {
    return this.#lease.keys.name;
  }

  get names(): readonly string[] {
    return this.#lease.keys.names;
  }

  get mode(): LockMode {
    return this.#lease.keys.mode;
  }

  get owner(): string | undefined {
    return this.#lease.keys.owner;
  }

  get permit(): number | undefined {
    return this.#lease.keys.slots?.slot;
  }

  get ownerId(): string {
    return this.#lease.ownerId;
  }

  get fencingToken(): number {
    return this.#lease.fencingToken as number;
  }

  get remainingMs(): number {
    return this.#lease.remainingMs;
  }

  get validUntil(): Date {
    return new Date(this.#clock.wallUs() / 1_000 + this.remainingMs);
  }

  get signal(): AbortSignal {
    // Detects a loss, by the clock, before the signal is returned.
    this.#lease.isHeld();
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const { lossReason } = this.#lease;
      if (lossReason !== undefined && !this.#controller.signal.aborted) {
        this.#controller.abort(this.#lostError());
      }
    }
    return this.#controller.signal;
  }

  get isHeld(): boolean {
    return this.#lease.isHeld();
  }

  assertHeld(): void {
    if (!this.#lease.isHeld()) throw this.#lostError();
  }

  async extend(): Promise<void> {
    const result = await this.#lease.extend();
    if (result.kind === "lost") throw this.#lostError();
    if (result.kind === "failed") {
      throw new QuorumUnreachableError(this.name, nodeVotes(this.#nodeNames, result.votes));
    }
    // The continuation may run late: the extended lease may have ended by now.
    this.assertHeld();
  }

  release(): Promise<ReleaseResult> {
    return this.#lease.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  toJSON(): GivenLock;
  toJSON(key: string): GivenLock | LockDescription;
  toJSON(key?: string): GivenLock | LockDescription {
    const { name, mode, fencingToken, isHeld } = this;
    const isDescribed = key !== undefined && (key !== "" || !isHeld);
    if (isDescribed) return { name, mode, fencingToken: fencingToken ?? null, isHeld };
    this.assertHeld();
    const { keys, ownerId, settings } = this.#lease;
    checkGivable(keys);
    this.#lease.give();
    return {
      kind: "quorate-lock",
      version: 1,
      name,
      lockKey: keys.lockKey,
      mode: "exclusive",
      ownerId,
      fencingToken: fencingToken ?? null,
      ttlMs: settings.ttlMs,
    };
  }

  [inspect.custom](): string {
    const { name, fencingToken } = this;
    const state = this.#lease.isHeld() ? `${Math.ceil(this.remainingMs)} ms left` : this.#endState;
    return `Lock ${JSON.stringify(name)} (token ${fencingToken ?? "none"}, ${state})`;
  }

  get #endState(): "lost" | "released" | "handed over" {
    const { state, isGiven } = this.#lease;
    if (isGiven) return "handed over";
    return state === "lost" ? "lost" : "released";
  }

  #lostError(): LockLostError {
    const { isGiven, lossReason } = this.#lease;
    if (isGiven) return new LockLostError(this.name, "handedOver");
    if (lossReason === undefined) return new LockLostError(this.name, "released");
    return lossErrorOf(this.name, this.#lease, this.#nodeNames);
  }
}
