import { keptNamesMs } from "../protocol/gathering.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Context } from "./context.js";
import type { Lease } from "./lease.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { Sleeper } from "./schedule.js";
import type { AcquireRequest } from "./wait-place.js";

/** The acquire of one name. */
interface Asking {
  begin(): void;
  abort(): void;
}

/** The set that waits. */
export interface Gatherer {
  readonly request: AcquireRequest;
  /**
   * Another acquire for it, of that name; neither its caller nor any observer hears of that.
   *
   * @param settle with the lock, if it was granted; not called once it was aborted
   */
  ask(keys: LockKind, settle: (lease: Lease | undefined) => void): Asking;
  /** @param isHad a name that was missing is had; otherwise it cannot be waited for any more */
  onPart(isHad: boolean): void;
}

/**
 * How a set of names waits: for the name that it was refused for, by an acquire of that name alone, which stands in all
 * queues as any other does. Whenever one is granted, the set asks for all names: what it has of them becomes part of it
 * in the step that takes the rest.
 *
 * If another name is missing then, it keeps those that it has for a short time, and waits for that one. Otherwise it
 * would never get two names that both have waiters all the time. After that time it lets them go, and has only waiters:
 * so it blocks nobody for long, and two sets that wait for each other's names do not do so for ever.
 */
export class Gathering implements Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;

  readonly #context: Context;
  readonly #gatherer: Gatherer;
  /** By lock key. */
  readonly #parts: ReadonlyMap<string, LockKind>;
  readonly #waiting = new Map<string, Asking>();
  readonly #kept = new Map<string, Lease>();
  /** Had since the set asked last. */
  readonly #unasked = new Set<string>();

  constructor(context: Context, gatherer: Gatherer, parts: readonly LockKind[]) {
    this.#context = context;
    this.#gatherer = gatherer;
    this.#parts = new Map(parts.map((part) => [part.lockKey, part]));
  }

  /** The set asks for all its names. @returns the owners of those that it has */
  ask(): string[] {
    this.#unasked.clear();
    return [...this.#kept.values()].map(({ ownerId }) => ownerId);
  }

  /** The set was refused because of that name. @returns whether it had one by then for which it did not ask */
  seek(lockKey: string): boolean {
    if (this.#unasked.size > 0) return true;
    // Lost: it would know soon.
    this.#letGo(lockKey);
    const keys = this.#parts.get(lockKey);
    if (keys === undefined || this.#waiting.has(lockKey)) return false;
    const asking = this.#gatherer.ask(keys, (lease) => {
      this.#waiting.delete(lockKey);
      if (lease !== undefined) this.#keep(lockKey, lease);
      this.#gatherer.onPart(lease !== undefined);
    });
    this.#waiting.set(lockKey, asking);
    asking.begin();
    return false;
  }

  #keep(lockKey: string, lease: Lease): void {
    const { clock, entropy, schedule } = this.#context;
    if (this.#kept.size === 0) {
      const { startedMs, settings } = this.#gatherer.request;
      const nowMs = clock.now();
      const keptMs = keptNamesMs(nowMs - startedMs, settings.nodeTimeoutMs, entropy.unit());
      schedule.set(this, nowMs + keptMs);
    }
    this.#kept.set(lockKey, lease);
    this.#unasked.add(lockKey);
  }

  /** Called by the schedule: it has kept them for long enough. */
  wake(): void {
    for (const lockKey of this.#kept.keys()) this.#letGo(lockKey);
  }

  #letGo(lockKey: string): void {
    void this.#kept.get(lockKey)?.release();
    this.#kept.delete(lockKey);
    this.#unasked.delete(lockKey);
  }

  /** The set has all its names, does not wait any more, or lets others ask before it. */
  stop(): void {
    this.#context.schedule.remove(this);
    for (const asking of this.#waiting.values()) asking.abort();
    this.#waiting.clear();
    this.wake();
  }
}

/**
 * Of the lock on a name that a set keeps. How long, its waiting decides: not a lease that would end before the missing
 * name is free. And as nobody has held it, its name is not closed after it.
 */
export function partSettings(settings: LeaseSettings): LeaseSettings {
  const { lockDelayMs: _, ...others } = settings;
  return { ...others, renew: true, maxHoldMs: Number.POSITIVE_INFINITY };
}

/** The context of acquires whose locks nobody is to hear of: only that the nodes are asked. */
export function unobserved(context: Context): Context {
  const nothing = (): void => {};
  const { observer } = context;
  return {
    ...context,
    observer: {
      onGranted: nothing,
      onExtended: nothing,
      onLost: nothing,
      onReleased: nothing,
      onRound: (operation) => observer.onRound?.(operation),
    },
  };
}
