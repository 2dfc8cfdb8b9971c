import { keyTtlMs } from "../protocol/delays.js";
import type { Operation, OperationKind } from "../protocol/operation.js";
import { lossAtMs, remainingTtlMs, validUntilMs } from "../protocol/validity.js";
import type { Waiter } from "../protocol/waiter.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Grant } from "./grant.js";
import type { LeaseSettings } from "./lease-settings.js";

/** Until when a lease is valid, and since when that is proved. Lease clock, ms. */
export class LeaseValidity {
  /** The lock counts as held until this instant at the latest. */
  untilMs: number;
  /** First send of the round that last proved the lock; keys created since then expire with its keys. */
  provenAtMs: number;
  readonly #keys: LockKind;
  readonly #ownerId: string;
  readonly #fence: number | undefined;
  readonly #settings: LeaseSettings;

  constructor(grant: Grant) {
    this.#keys = grant.keys;
    this.#ownerId = grant.ownerId;
    this.#fence = grant.fencingToken;
    this.#settings = grant.settings;
    this.untilMs = grant.validUntilMs;
    this.provenAtMs = grant.firstSendMs;
  }

  /** When the loss is reported, unless the lock is extended first. */
  get lossAtMs(): number {
    return lossAtMs(this.untilMs);
  }

  /** A quorum has extended it. */
  onExtended(firstSendMs: number): void {
    const { ttlMs, driftFactor } = this.#settings;
    const extended = validUntilMs(firstSendMs, ttlMs, driftFactor);
    this.untilMs = Math.max(this.untilMs, extended);
    this.provenAtMs = firstSendMs;
  }

  /** The ttl of keys that are created now, ms. */
  keyLeftMs(nowMs: number): number {
    return remainingTtlMs(nowMs, this.provenAtMs, keyTtlMs(this.#settings));
  }

  /** Keeps the lease alive: it is never sent after the end of the validity. */
  operation(kind: OperationKind, ttlMs: number, nowMs: number, waiter?: Waiter): Operation {
    const { nodeTimeoutMs, clockStepMs: marginMs } = this.#settings;
    const sendBeforeMs = Math.min(this.untilMs, nowMs + nodeTimeoutMs);
    const [keys, ownerId, fence] = [this.#keys, this.#ownerId, this.#fence];
    return { kind, keys, ownerId, ttlMs, marginMs, fence, sendBeforeMs, waiter, wire: undefined };
  }
}
