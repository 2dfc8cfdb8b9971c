import { getEventListeners, setMaxListeners } from "node:events";
import { inspect } from "node:util";
import type { GivenLock, Lock, LockDescription } from "../api/lock.js";
import { LockLostError } from "../api/errors.js";
import type { LeaseHandle } from "../coordinator/lease.js";
import type { Clock } from "../coordinator/ports.js";
import { lossErrorOf } from "./loss-error.js";
import type { LockMode } from "../api/options.js";
import type { ReleaseResult } from "../coordinator/release-result.js";
import type { ExtendResult } from "../coordinator/lease-renewal.js";
import { checkForKind } from "../options/name-keys.js";
import { checkedValue } from "../options/table.js";
import { checkExtension } from "../options/resolve.js";
import { checkCount } from "../runtime/validate.js";
import { errorOfExtension } from "./outcome-error.js";
import { checkGivable } from "./check-given-lock.js";

/**
 * The random value in the lock key, new for every grant. Not on the lock itself: anyone who has it can release the
 * lock, and users do not need it.
 */
export let ownerIdOf: (lock: Lock) => string;

/**
 * Releases the lock where what it protects has ended: the end of a scope, and of a request.
 *
 * @returns how it was lost, if it was and nothing has told so yet
 */
export let endOf: (lock: Lock) => Promise<LockLostError | undefined>;

/** Has a request hear of the loss at once. Its signal is for users: to create one costs a third of an acquire. */
export let whenLost: (lock: Lock, callback: (() => void) | undefined) => void;

/** What a lock needs of its nodes. */
interface NodesOfLock {
  readonly names: readonly string[];
  readonly context: { readonly clock: Pick<Clock, "now" | "wallUs"> };
  /** The longest ttl that a quorum of them has on record, ms. */
  recordedTtlMs(): number | undefined;
}

/** A lock that a coordinator holds, as its user sees it. */
export class LeasedLock implements Lock {
  static {
    ownerIdOf = (lock) => (lock as LeasedLock).#lease.ownerId;
    endOf = (lock) => (lock as LeasedLock).#endIt();
    whenLost = (lock, callback) => {
      (lock as LeasedLock).#onLost = callback;
    };
  }

  readonly #lease: LeaseHandle;
  readonly #nodes: NodesOfLock;
  #controller: AbortController | undefined;
  #onLost: (() => void) | undefined;
  /** Whether the loss has reached the caller by some way. */
  #isTold = false;

  constructor(lease: LeaseHandle, nodes: NodesOfLock) {
    this.#lease = lease;
    this.#nodes = nodes;
    lease.onLost = () => {
      if (this.#onLost !== undefined) this.#isTold = true;
      this.#onLost?.();
      this.#abort();
    };
  }

  get name(): string {
    return this.#lease.keys.name;
  }

  get names(): readonly string[] {
    return Object.freeze(this.#lease.keys.names);
  }

  get mode(): LockMode {
    return this.#lease.keys.mode;
  }

  get owner(): string | undefined {
    return this.#lease.keys.owner;
  }

  get permit(): number | undefined {
    return this.permits?.[0];
  }

  get permits(): readonly number[] | undefined {
    return Object.freeze(this.#lease.keys.permits?.numbers);
  }

  get fencingToken(): number {
    return this.#lease.fencingToken as number;
  }

  get remainingMs(): number {
    return this.#lease.remainingMs;
  }

  get validUntil(): Date {
    return new Date(this.#nodes.context.clock.wallUs() / 1_000 + this.remainingMs);
  }

  get signal(): AbortSignal {
    // Detects a loss, by the clock, before the signal is returned.
    this.#lease.isHeld();
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Users pass it on to whatever works under the lock, however much that is.
      setMaxListeners(0, this.#controller.signal);
      if (this.#lease.lossReason !== undefined) this.#abort();
    }
    return this.#controller.signal;
  }

  get isHeld(): boolean {
    return this.#lease.isHeld();
  }

  assertHeld(): void {
    if (this.#lease.isHeld()) return;
    this.#isTold = true;
    throw this.#lostError();
  }

  async extend(ttlMs?: number): Promise<void> {
    checkCount("extend()", arguments, 1, "it takes how much is left from now, in ms");
    if (ttlMs !== undefined) checkExtension(ttlMs, this.#lease.settings);
    await this.#confirm(await this.#lease.extend(ttlMs), ttlMs);
  }

  /** Of a term. */
  async proclaim(value: string): Promise<void> {
    checkForKind(this.#lease.keys, { value: checkedValue("value", value) });
    await this.#confirm(await this.#lease.proclaim(value));
  }

  async #confirm(result: ExtendResult, ttlMs?: number): Promise<void> {
    if (result.kind === "lost") {
      this.#isTold = true;
      throw this.#lostError();
    }
    if (result.kind === "failed") {
      const { settings } = this.#lease;
      const life = { ...settings, ttlMs: ttlMs ?? settings.ttlMs };
      throw errorOfExtension(this.name, result.votes, this.#nodes, life);
    }
    // The continuation may run late: the extended lease may have ended by now.
    this.assertHeld();
  }

  async release(): Promise<ReleaseResult> {
    const result = await this.#lease.release();
    if (result === "expired") this.#isTold = true;
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const lost = await this.#endIt();
    if (lost !== undefined) throw lost;
  }

  async #endIt(): Promise<LockLostError | undefined> {
    const { clock } = this.#nodes.context;
    const validUntilMs = clock.now() + this.#lease.remainingMs;
    const result = await this.#lease.release();
    if (result !== "expired" || this.#isTold) return undefined;
    // Keys that are gone by an answer after the validity may only have expired on the way.
    const isLost = this.#lease.lossReason !== undefined || clock.now() < validUntilMs;
    if (!isLost) return undefined;
    this.#isTold = true;
    return this.#lostError("taken");
  }

  toJSON(): LockDescription {
    const { name, mode, fencingToken, isHeld } = this;
    return { name, mode, fencingToken, isHeld };
  }

  handOver(): GivenLock {
    this.assertHeld();
    const { keys, ownerId, settings } = this.#lease;
    checkGivable(keys);
    const minHoldMs = Math.ceil(this.#lease.minHoldLeftMs);
    this.#lease.give();
    return {
      kind: "quorate-lock",
      version: 1,
      name: keys.name,
      lockKey: keys.lockKey,
      mode: "exclusive",
      ownerId,
      fencingToken: this.fencingToken,
      ttlMs: settings.ttlMs,
      ...(minHoldMs > 0 && { minHoldMs }),
    };
  }

  [inspect.custom](): string {
    const { name, fencingToken } = this;
    const state = this.#lease.isHeld() ? `${Math.ceil(this.remainingMs)} ms left` : this.#endState;
    return `Lock ${JSON.stringify(name)} (token ${fencingToken}, ${state})`;
  }

  toString(): string {
    return inspect(this);
  }

  get #endState(): "lost" | "released" | "handed over" {
    const { state, isGiven } = this.#lease;
    if (isGiven) return "handed over";
    return state === "lost" ? "lost" : "released";
  }

  #abort(): void {
    if (this.#controller === undefined || this.#controller.signal.aborted) return;
    if (getEventListeners(this.#controller.signal, "abort").length > 0) this.#isTold = true;
    this.#controller.abort(this.#lostError());
  }

  /** @param unknown the reason, if the lease itself knows of none */
  #lostError(unknown: "released" | "taken" = "released"): LockLostError {
    const { isGiven, lossReason } = this.#lease;
    if (isGiven) return new LockLostError(this.name, "handedOver");
    if (lossReason === undefined) return new LockLostError(this.name, unknown);
    return lossErrorOf(this.name, this.#lease, this.#nodes.names);
  }
}
