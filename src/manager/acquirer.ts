import { Acquire, type AcquireOutcome, type Wanted } from "../coordinator/acquire.js";
import type { LeaseHandle } from "../coordinator/lease.js";
import type { LeaseSettings } from "../coordinator/lease-settings.js";
import { KeyedSet, LinkedSet } from "../coordinator/linked-set.js";
import type { ManagedLease } from "../coordinator/observer.js";
import { endDisproved, type Pending } from "../coordinator/preemption.js";
import { ClosedError, LockHeldError, LockLostError, type QuorateError } from "../api/errors.js";
import type { QuorateWarning } from "../api/events.js";
import type { Lock } from "../api/lock.js";
import type { AcquireOptions } from "../api/options.js";
import { exclusiveLock } from "../kinds/exclusive.js";
import type { OpenNodes } from "../nodes/open-nodes.js";
import { checkedKeysOf, checkedLockOfAll, checkForKind } from "../options/name-keys.js";
import { checkRequest, type Request } from "../options/request.js";
import {
  resolveAcquireOptions,
  type ManagerSettings,
  type ResolvedAcquire,
} from "../options/resolve.js";
import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { NameKeys } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { AcquireTrace, traceAcquire } from "../telemetry/acquire-trace.js";
import { whenAborted } from "../runtime/when-aborted.js";
import { CHANNELS } from "../telemetry/channels.js";
import { withCaller } from "./caller.js";
import { GraceTimers } from "./grace-timers.js";
import { KnownSizes } from "./known-sizes.js";
import { LeasedLock } from "./lock.js";
import { errorOf, recordedTtlOf } from "./outcome-error.js";
import type { Opening, Reentry } from "./reentry/reentry.js";
import type { RequestHost } from "./request.js";

/** The purpose of an acquire. */
export interface HowToAcquire {
  /** Of a semaphore. */
  readonly permitKeys?: LockKind;
  /** See {@link Asking.turn}. */
  readonly turn?: Asking["turn"];
  /** Of a request. */
  readonly request?: Request;
  readonly callback?: unknown;
  /** Of a request whose callback will run in such a context. */
  readonly opening?: Opening | undefined;
}

const PLAINLY: HowToAcquire = {};

/** What an acquire has to do with its caller, and not with the nodes. */
interface Asking {
  readonly signal: AbortSignal | undefined;
  /** False asks for a lock of its own, whatever the caller's context holds. */
  readonly reentrant: boolean | undefined;
  readonly opening?: Opening | undefined;
  /** Calls `begin` when it is its turn; it waits until then, as afterwards. Rejects if it is not to begin. */
  readonly turn?: ((begin: () => void) => Promise<void>) | undefined;
  /** Called for every failed attempt except the last. */
  readonly onSetback?: (failure: AttemptFailure, error: () => QuorateError) => void;
}

/** As long as a pause of the garbage collector or of the network. */
const SHORT_TTL_MS = 100;

/**
 * Acquires the locks of one lock manager: checks the arguments, asks the nodes, returns the lock. Semaphores, elections
 * and adoptions work on it, too.
 */
export class Acquirer {
  readonly nodes: OpenNodes;
  readonly settings: ManagerSettings;
  readonly held = new KeyedSet<ManagedLease>();
  /** Waiting acquires, adoptions and campaigns; they are aborted when the manager closes. */
  readonly pending = new LinkedSet<Pending>();
  /** The locks of elections. */
  readonly terms = new WeakSet<LockKind>();
  readonly sizes = new KnownSizes();
  /** Of its requests. */
  readonly graces: GraceTimers;
  /** Any state but "open" rejects new acquires; while draining, held locks can still be re-entered. */
  state: "open" | "draining" | "closed" = "open";
  readonly warn: (code: QuorateWarning["code"], message: string) => void;
  readonly #reentry: Reentry;
  #isShortTtlTold = false;

  constructor(
    nodes: OpenNodes,
    settings: ManagerSettings,
    reentry: Reentry,
    warn: (code: QuorateWarning["code"], message: string) => void,
  ) {
    this.nodes = nodes;
    this.graces = new GraceTimers(nodes.context.clock);
    this.settings = settings;
    this.#reentry = reentry;
    this.warn = warn;
  }

  /** What the requests of its locks and permits need. */
  get requestHost(): RequestHost {
    return {
      lossGraceMs: this.settings.lossGraceMs,
      clock: this.graces,
      onOverrun: (message) => this.warn("QUORATE_CALLBACK_OVERRUN", message),
    };
  }

  /**
   * @param usual how it is acquired without options: those of the manager, or the same for one attempt
   * @throws as `LockManager.acquire` does, always by rejection
   */
  async acquire(
    name: string | readonly string[],
    options: AcquireOptions | undefined,
    usual: ResolvedAcquire,
    { permitKeys, turn, request, callback, opening }: HowToAcquire = PLAINLY,
  ): Promise<Lock> {
    try {
      const { keyPrefix } = this.settings;
      const { hasCluster } = this.nodes;
      const ofLock = request === undefined ? "acquire" : "request";
      const place = permitKeys === undefined ? ofLock : "permit";
      const resolved =
        options === undefined
          ? usual
          : resolveAcquireOptions(options, this.settings, usual.wait.waitMs, place);
      const { lease: settings, wait, signal, reentrant, kindOf } = resolved;
      const keys =
        permitKeys ??
        (Array.isArray(name)
          ? checkedLockOfAll(keyPrefix, name, hasCluster, kindOf)
          : kindOf(checkedKeysOf(keyPrefix, name, hasCluster)));
      if (request !== undefined) checkRequest(request, callback, keys, resolved);
      checkForKind(keys, settings);
      if (resolved !== usual) this.checkTtl(settings);
      const steals = request?.steal === true;
      const standing = steals ? ({ as: "preempt", competitors: this } as const) : undefined;
      const wanted = { keys, settings, wait, standing };
      const asking = { signal, opening, turn, reentrant: steals ? false : reentrant };
      return new LeasedLock(await this.ask(wanted, asking), this.nodes);
    } catch (error) {
      throw withCaller(error, options);
    }
  }

  /** Throws now what `acquire` would reject with for that name and those options: TypeError, RangeError. */
  check(name: string, options: AcquireOptions): void {
    const { usual } = this.settings;
    const { lease, kindOf } = resolveAcquireOptions(options, this.settings, usual.wait.waitMs);
    checkForKind(kindOf(this.keysOf(name)), lease);
  }

  /**
   * Asks for a lock until it is granted or given up; when the signal aborts, or the manager closes, it is given up.
   *
   * @throws ClosedError, the reason of the signal, or why the lock was not granted, always by rejection
   */
  ask(wanted: Wanted, asking: Asking, trace?: AcquireTrace): Promise<LeaseHandle> {
    const { signal, reentrant, opening, turn, onSetback } = asking;
    if (trace === undefined && CHANNELS.acquire.hasSubscribers) {
      const { names, context } = this.nodes;
      const nodes = { names, clock: context.clock };
      const heard = new AcquireTrace(wanted.keys, wanted.wait.waitMs, nodes, signal);
      return traceAcquire(heard, () => this.ask(wanted, asking, heard));
    }
    return new Promise((resolve, reject) => {
      const { keys, wait } = wanted;
      if (this.state === "closed") throw new ClosedError(keys.name);
      signal?.throwIfAborted();
      const mayJoin = reentrant === true || this.#reentry.isUsed;
      const joined = mayJoin
        ? this.#reentry.join(keys, reentrant, wait.waitMs, opening)
        : undefined;
      if (joined !== undefined) {
        if (trace !== undefined) trace.message.reentrant = true;
        resolve(joined);
        return;
      }
      if (this.state !== "open") throw new ClosedError(keys.name);
      const settle = (outcome: AcquireOutcome): void => {
        this.pending.delete(acquire);
        ignoreSignal?.();
        trace?.onOutcome(outcome, acquire.attemptCount);
        if (outcome.kind === "granted") {
          const { lease } = outcome;
          // A lock of ours may have been ended elsewhere.
          if (this.held.size > 1) endDisproved(this.held.on(keys.lockKeys), lease);
          resolve(opening?.begin(lease) ?? lease);
        } else if (outcome.kind !== "aborted") reject(this.#errorOf(outcome, acquire, wanted));
        else if (signal?.aborted === true) reject(signal.reason);
        else if (acquire.isPreempted) reject(new LockLostError(keys.name, "stolen"));
        else reject(new ClosedError(keys.name));
      };
      const acquire: Acquire = new Acquire(
        this.nodes.context,
        wanted,
        settle,
        onSetback === undefined
          ? trace?.onSetback
          : (failure) => {
              trace?.onSetback(failure);
              onSetback(failure, () => this.#errorOf(failure, acquire, wanted));
            },
      );
      this.pending.add(acquire);
      const ignoreSignal = signal && whenAborted(signal, () => acquire.abort());
      if (turn === undefined) return acquire.begin();
      const begin = (): void => {
        if (!acquire.isOver) acquire.begin(this.nodes.context.clock.now());
      };
      turn(begin).catch((error: unknown) => {
        reject(error);
        acquire.abort();
      });
    });
  }

  /** Why an attempt failed. */
  #errorOf(
    failure: AttemptFailure,
    { waitedMs, attemptCount }: Acquire,
    { keys, settings, wait, standing }: Wanted,
  ): QuorateError {
    return errorOf(keys, failure, this.nodes.names, {
      waitMs: wait.waitMs,
      maxWaiters: wait.maxWaiters,
      waitedMs,
      attemptCount,
      marginMs: this.nodes.marginMs(),
      isAdoption: standing?.as === "adopt",
      isHeldHere: (names) =>
        this.held
          .on(keys.lockKeys)
          .some((held) => held.keys.names.some((name) => names.includes(name))),
      recordedTtl: () => recordedTtlOf(this.nodes, settings),
    });
  }

  /** Warns once: who gave seconds by mistake did so everywhere. */
  checkTtl({ ttlMs }: LeaseSettings): void {
    if (ttlMs >= SHORT_TTL_MS || this.#isShortTtlTold) return;
    this.#isShortTtlTold = true;
    const message = `\`ttlMs\` of ${ttlMs} is very short: the lock expires after ${ttlMs} ms unless it is renewed. For seconds, multiply by 1000`;
    this.warn("QUORATE_SHORT_TTL", message);
  }

  /**
   * The keys of one name.
   *
   * @param option its name in messages
   * @throws TypeError and RangeError for a bad name
   */
  keysOf(name: unknown, option?: string): NameKeys {
    return checkedKeysOf(this.settings.keyPrefix, name, this.nodes.hasCluster, option);
  }

  /** Its exclusive lock, for calls that are impossible after closing. @throws ClosedError */
  openLockOf(name: unknown, option?: string): LockKind {
    const keys = this.keysOf(name, option);
    if (this.state !== "open") throw new ClosedError(keys.name);
    return exclusiveLock(keys);
  }
}

/** Null if the lock was not acquired because another client holds it. */
export async function nullIfHeld(asking: Promise<Lock>): Promise<Lock | null> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof LockHeldError) return null;
    throw error;
  }
}
