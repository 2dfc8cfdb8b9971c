import { AsyncLocalStorage } from "node:async_hooks";
import type { LeaseHandle } from "../../coordinator/lease.js";
import { ReentryError } from "../../api/reentry-error.js";
import type { Lock } from "../../api/lock.js";
import { lossErrorOf } from "../loss-error.js";
import type { LockKind } from "../../protocol/lock-kind.js";
import { SharedLease } from "./shared-lease.js";

/** A callback's context: its own holds, and those of the contexts around it. */
interface Scope {
  readonly of: Reentry;
  readonly hold: SharedLease;
  readonly outer: Scope | undefined;
}

type Scopes = AsyncLocalStorage<Scope | undefined>;

/**
 * One for all managers: until Node.js 24, each stays registered with the process permanently, and costs every promise
 * created from then on.
 */
let shared: Scopes | undefined;

/**
 * The locks of one manager that async contexts hold.
 *
 * A context belongs to a callback: it begins and ends with it, and Node.js propagates it. Changing the caller's
 * context instead (`enterWith`) would give the lock to unrelated code that is called next: two branches of one
 * `Promise.all` would each count as the holder.
 *
 * Nothing is tracked before the first `reentrant: true`: until then locks cost nothing extra.
 */
export class Reentry {
  /** A request was reentrant, so contexts may hold locks of this manager. */
  isUsed = false;

  /**
   * Another handle on the hold of the caller's context that has these keys; undefined if the caller must acquire
   * them.
   *
   * @param reentrant false asks for a separate lock, whatever the context holds
   * @param opening of a request, which can have its own context if there is nothing to join
   * @throws ReentryError where joining is impossible and waiting would deadlock
   */
  join(
    keys: LockKind,
    reentrant: boolean | undefined,
    waitMs: number,
    opening: Opening | undefined,
  ): LeaseHandle | undefined {
    if (reentrant === false) return undefined;
    const hold = this.#holdOf(keys);
    const lossReason = hold?.lossReason;
    if (reentrant !== true) {
      if (hold === undefined || lossReason !== undefined || waitMs === 0) return undefined;
      // The same owner re-enters anyway, with a hold of its own.
      if (keys.owner !== undefined && keys.owner === hold.lease.keys.owner) return undefined;
      // A semaphore knows no `reentrant`, which would be the remedy.
      const problem = keys.permits === undefined ? "self" : "upgrade";
      throw new ReentryError(keys.name, problem, aboutHold(hold));
    }
    if (hold === undefined) {
      if (opening !== undefined) return undefined;
      throw new ReentryError(keys.name, "outside");
    }
    if (lossReason !== undefined) throw lossErrorOf(keys.name, hold.lease, []);
    if (!hasAll(hold.lease.keys, keys))
      throw new ReentryError(keys.name, "partial", aboutHold(hold));
    if (!admits(hold.lease.keys, keys))
      throw new ReentryError(keys.name, "upgrade", aboutHold(hold));
    return hold.join();
  }

  /** For a request that others may join while its callback runs. */
  open(): Opening {
    shared ??= new AsyncLocalStorage();
    this.isUsed = true;
    return new Opening(this, shared);
  }

  /** The innermost hold that has not ended and has one of the names. */
  #holdOf(keys: LockKind): SharedLease | undefined {
    const { names: wanted } = keys;
    for (let scope = shared?.getStore(); scope !== undefined; scope = scope.outer) {
      const { of, hold } = scope;
      if (of === this && hold.isOpen && hold.lease.keys.names.some((name) => wanted.includes(name)))
        return hold;
    }
    return undefined;
  }
}

/** A request that will have its own context. */
export class Opening {
  readonly #of: Reentry;
  readonly #scopes: Scopes;
  #hold: SharedLease | undefined;

  constructor(of: Reentry, scopes: Scopes) {
    this.#of = of;
    this.#scopes = scopes;
  }

  /** The lock was granted: creates the first handle on it. */
  begin(lease: LeaseHandle): LeaseHandle {
    this.#hold = new SharedLease(lease);
    return this.#hold.join();
  }

  /** The callback as it runs in the context; unchanged if the request has joined another. */
  enclose<T>(callback: (lock: Lock) => T): (lock: Lock) => T {
    const hold = this.#hold;
    if (hold === undefined) return callback;
    const scope = { of: this.#of, hold, outer: this.#scopes.getStore() };
    return (lock) => this.#scopes.run(scope, callback, lock);
  }
}

function hasAll({ names }: LockKind, wanted: LockKind): boolean {
  return wanted.names.every((name) => names.includes(name));
}

/** An exclusive lock includes a shared one; other locks only match the same kind and owner. */
function admits(held: LockKind, wanted: LockKind): boolean {
  if (held.isMutex) return wanted.isMutex || wanted.mode === "shared";
  const { id, layout, owner } = held;
  return id === wanted.id && layout === wanted.layout && owner === wanted.owner;
}

function aboutHold({ lease: { keys, fencingToken } }: SharedLease) {
  return { names: keys.names, mode: keys.mode, fencingToken };
}
