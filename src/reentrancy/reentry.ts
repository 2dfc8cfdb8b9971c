import { AsyncLocalStorage } from "node:async_hooks";
import type { LeaseHandle } from "../coordinator/lease-handle.js";
import { ReentryError } from "../reentry-error.js";
import type { Lock } from "../face/lock.js";
import { lossErrorOf } from "../loss-error.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { SharedLease } from "./shared-lease.js";

/** A callback runs in it: what it holds, and what those hold that it runs in. */
interface Scope {
  readonly of: Reentry;
  readonly hold: SharedLease;
  readonly outer: Scope | undefined;
}

type Scopes = AsyncLocalStorage<Scope | undefined>;

/**
 * One for all managers: until Node.js 24 it stays known to the process for good, and each costs every promise that
 * is made from then on.
 */
let shared: Scopes | undefined;

/**
 * What async contexts hold of one manager's locks.
 *
 * A context is that of a callback: it begins and ends with it, and Node.js carries it along. The other
 * way, to change the context of whoever calls (`enterWith`), would give a lock to those who happen to
 * be called next: two branches of one `Promise.all` would take each other for themselves.
 *
 * Nothing is tracked before the first `reentrant: true`: until then plain locks cost nothing.
 */
export class Reentry {
  #scopes: Scopes | undefined;

  /**
   * The hold of the caller's context that these keys are (part) of, once more; undefined if the caller
   * has to acquire them.
   *
   * @param reentrant false asks for a lock of its own, whatever the context holds
   * @param opening of a request, which can have a context of its own where there is nothing to join
   * @throws ReentryError where to join is impossible, and to wait would be to wait for oneself
   */
  join(
    keys: LockKind,
    reentrant: boolean | undefined,
    waitMs: number,
    opening: Opening | undefined,
  ): LeaseHandle | undefined {
    if (reentrant === false || (this.#scopes === undefined && reentrant !== true)) return undefined;
    const hold = this.#holdOf(keys);
    const lossReason = hold?.lossReason;
    if (reentrant !== true) {
      if (hold === undefined || lossReason !== undefined || waitMs === 0) return undefined;
      // An owner gets in again by itself, with a hold of its own.
      if (keys.owner !== undefined && keys.owner === hold.keys.owner) return undefined;
      throw new ReentryError(keys.name, "self", aboutHold(hold));
    }
    if (hold === undefined) {
      if (opening !== undefined) return undefined;
      throw new ReentryError(keys.name, "outside");
    }
    if (lossReason !== undefined) throw lossErrorOf(keys.name, hold, []);
    if (!hasAll(hold.keys, keys)) throw new ReentryError(keys.name, "partial", aboutHold(hold));
    if (!admits(hold.keys, keys)) throw new ReentryError(keys.name, "upgrade", aboutHold(hold));
    return hold.join();
  }

  /** For one request that others may join while its callback runs. */
  open(): Opening {
    shared ??= new AsyncLocalStorage();
    this.#scopes = shared;
    return new Opening(this, shared);
  }

  /** The innermost one that is not over and has one of the names. */
  #holdOf(keys: LockKind): SharedLease | undefined {
    const { names: wanted } = keys;
    for (let scope = this.#scopes?.getStore(); scope !== undefined; scope = scope.outer) {
      const { of, hold } = scope;
      if (of === this && hold.isOpen && hold.keys.names.some((name) => wanted.includes(name)))
        return hold;
    }
    return undefined;
  }
}

/** A request on its way to a context of its own. */
export class Opening {
  readonly #of: Reentry;
  readonly #scopes: Scopes;
  #hold: SharedLease | undefined;

  constructor(of: Reentry, scopes: Scopes) {
    this.#of = of;
    this.#scopes = scopes;
  }

  /** The lock was granted: the first handle on it. */
  begin(lease: LeaseHandle): LeaseHandle {
    this.#hold = new SharedLease(lease);
    return this.#hold.join();
  }

  /** The callback as it runs in the context; as it is, if the request has joined another. */
  enclose<T, F extends boolean>(callback: (lock: Lock<F>) => T): (lock: Lock<F>) => T {
    const hold = this.#hold;
    if (hold === undefined) return callback;
    const scope = { of: this.#of, hold, outer: this.#scopes.getStore() };
    return (lock) => this.#scopes.run(scope, callback, lock);
  }
}

function hasAll({ names }: LockKind, wanted: LockKind): boolean {
  return wanted.names.every((name) => names.includes(name));
}

/** An exclusive lock is all that a shared one is; others stand for their own kind only, and owner. */
function admits(held: LockKind, wanted: LockKind): boolean {
  if (held.isMutex) return wanted.isMutex || wanted.mode === "shared";
  const { id, layout, owner } = held;
  return id === wanted.id && layout === wanted.layout && owner === wanted.owner;
}

function aboutHold({ keys, fencingToken }: SharedLease) {
  return { names: keys.names, mode: keys.mode, fencingToken };
}
