import { Acquire, type AcquireOutcome, type Wanted } from "../coordinator/acquire.js";
import type { LeaseHandle } from "../coordinator/lease.js";
import type { LeaseSettings } from "../coordinator/lease-settings.js";
import { LinkedSet } from "../coordinator/linked-set.js";
import type { Pending } from "../coordinator/local-competitors.js";
import type { ManagedLease } from "../coordinator/observer.js";
import { ClosedError, LockHeldError, LockLostError, type QuorateError } from "../api/errors.js";
import type { Lock } from "../api/lock.js";
import { LeasedLock } from "./lock.js";
import {
  checkedKeysOf,
  checkedKeysOfAll,
  checkMinHold,
  laidOutKeys,
} from "../options/name-keys.js";
import type { OpenNodes } from "../nodes/open-nodes.js";
import type { AcquireOptions } from "../api/options.js";
import type { RecordedTtl } from "../api/node-errors.js";
import type { QuorateWarning } from "../api/events.js";
import { errorOf, recordedTtlOf } from "./outcome-error.js";
import type { RequestHost } from "./request.js";
import type { Place } from "../options/table.js";
import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Opening, Reentry } from "./reentry/reentry.js";
import { checkRequest, type Request } from "../options/request.js";
import { AcquireTrace, traceAcquire } from "../telemetry/acquire-trace.js";
import { CHANNELS } from "../telemetry/channels.js";
import {
  resolveAcquireOptions,
  type ManagerSettings,
  type ResolvedAcquire,
} from "../options/resolve.js";

/** The purpose of an acquire. */
export interface HowToAcquire {
  /** Of a request whose callback will run in such a context. */
  readonly opening?: Opening | undefined;
  /** Of a semaphore. */
  readonly permitKeys?: LockKind;
  /** Of a request: the context in which its callback will run. */
  readonly request?: Request;
  readonly callback?: unknown;
}

const PLAINLY: HowToAcquire = {};

/** As long as a pause of the garbage collector or of the network. */
const SHORT_TTL_MS = 100;

/**
 * Acquires the locks of one lock manager: checks the arguments, asks the nodes, returns the lock. Semaphores, elections
 * and adoptions work on it, too.
 */
export class Acquirer {
  readonly nodes: OpenNodes;
  readonly settings: ManagerSettings;
  readonly held = new LinkedSet<ManagedLease>();
  /** The locks held by elections. */
  readonly terms = new WeakSet<ManagedLease>();
  /** Waiting acquires, adoptions and campaigns; they are aborted when the manager closes. */
  readonly pending = new LinkedSet<Pending>();
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
    this.settings = settings;
    this.#reentry = reentry;
    this.warn = warn;
  }

  get isClosed(): boolean {
    return this.state !== "open";
  }

  /** What the requests of its locks and permits need. */
  get requestHost(): RequestHost {
    return {
      lossGraceMs: this.settings.lossGraceMs,
      clock: this.nodes.context.clock,
      onOverrun: (message) => this.warn("QUORATE_CALLBACK_OVERRUN", message),
    };
  }

  /**
   * @param waitMs unless the options set it
   * @throws as `LockManager.acquire` does, always by rejection
   */
  acquire(
    name: string | readonly string[],
    options: AcquireOptions | undefined,
    waitMs: number,
    how: HowToAcquire = PLAINLY,
  ): Promise<Lock> {
    return new Promise((resolve, reject) => {
      const place = how.permitKeys === undefined ? "acquire" : "permit";
      const resolved = this.#resolve(options, waitMs, place);
      const { lease, wait, signal } = resolved;
      const keys = how.permitKeys ?? this.#keysOf(name, resolved);
      const { request } = how;
      if (request !== undefined) {
        checkRequest(request, how.callback, keys, { ...resolved, layout: this.settings.layout });
      }
      checkMinHold(keys, lease.minHoldMs);
      this.checkTtl(lease);
      if (CHANNELS.acquire.hasSubscribers) {
        const { names, context } = this.nodes;
        const nodes = { names, clock: context.clock };
        const trace = new AcquireTrace(keys, wait.waitMs, nodes, signal);
        const ask = (): Promise<Lock> =>
          new Promise((...settle) => this.#begin(keys, resolved, how, ...settle, trace));
        resolve(traceAcquire(trace, ask));
      } else this.#begin(keys, resolved, how, resolve, reject);
    });
  }

  #begin(
    keys: LockKind,
    { lease, wait, signal, reentrant }: ResolvedAcquire,
    { opening, request }: HowToAcquire,
    resolve: (lock: Lock) => void,
    reject: (error: unknown) => void,
    trace?: AcquireTrace,
  ): void {
    if (this.state === "closed") throw new ClosedError(keys.name);
    signal?.throwIfAborted();
    const steals = request?.steal === true;
    const joined = steals ? undefined : this.#reentry.join(keys, reentrant, wait.waitMs, opening);
    if (joined !== undefined) {
      if (trace !== undefined) trace.message.reentrant = true;
      resolve(this.lockOf(joined));
      return;
    }
    if (this.isClosed) throw new ClosedError(keys.name);
    const standing = steals ? ({ as: "preempt", competitors: this } as const) : undefined;
    const wanted = { keys, settings: lease, wait, standing };
    this.start(wanted, signal, trace?.onSetback, (outcome, acquire) => {
      trace?.onOutcome(outcome, acquire.attemptCount);
      if (outcome.kind === "granted") {
        resolve(this.lockOf(opening?.begin(outcome.lease) ?? outcome.lease));
      } else reject(this.errorOf(outcome, acquire, wanted, signal));
    });
  }

  /**
   * Begins an acquire, which is aborted by the signal, or when the manager closes.
   *
   * @param onEnd is called once, not from within this call
   */
  start(
    wanted: Wanted,
    signal: AbortSignal | undefined,
    onSetback: ((failure: AttemptFailure) => void) | undefined,
    onEnd: (outcome: AcquireOutcome, acquire: Acquire) => void,
  ): Acquire {
    const onAbort = (): void => acquire.abort();
    const settle = (outcome: AcquireOutcome): void => {
      this.pending.delete(acquire);
      signal?.removeEventListener("abort", onAbort);
      onEnd(outcome, acquire);
    };
    const acquire = new Acquire(this.nodes.context, wanted, settle, onSetback);
    this.pending.add(acquire);
    signal?.addEventListener("abort", onAbort, { once: true });
    acquire.begin();
    return acquire;
  }

  lockOf(lease: LeaseHandle): LeasedLock {
    return new LeasedLock(lease, this.nodes.names, this.nodes.context.clock);
  }

  /** Why an acquire that has ended was not granted. */
  errorOf(
    outcome: Exclude<AcquireOutcome, { kind: "granted" }>,
    acquire: Acquire,
    wanted: Wanted,
    signal: AbortSignal | undefined,
  ): unknown {
    if (outcome.kind !== "aborted") return this.failureError(outcome, acquire, wanted);
    if (signal?.aborted === true) return signal.reason;
    const { name } = acquire.keys;
    return acquire.isPreempted ? new LockLostError(name, "stolen") : new ClosedError(name);
  }

  /** Why an attempt of it failed. */
  failureError(
    failure: AttemptFailure,
    { waitedMs, attemptCount }: Acquire,
    { keys, settings, wait }: Wanted,
  ): QuorateError {
    return errorOf(keys, failure, this.nodes.names, {
      ...{ waitMs: wait.waitMs, waitedMs, attemptCount, marginMs: this.nodes.marginMs() },
      isHeldHere: () => [...this.held].some((held) => held.keys.lockKeys.includes(keys.lockKey)),
      recordedTtl: () => this.recordedTtlOf(settings),
    });
  }

  /** The settings of one acquire. @throws TypeError and RangeError for bad options */
  #resolve(options: AcquireOptions | undefined, waitMs: number, place: Place): ResolvedAcquire {
    if (options !== undefined) return resolveAcquireOptions(options, this.settings, waitMs, place);
    const { lease, wait, once } = this.settings;
    return {
      lease,
      wait: waitMs === 0 ? once : wait,
      mode: "exclusive",
      signal: undefined,
      owner: undefined,
      reentrant: undefined,
    };
  }

  /** Called with the settings of every requested lock. Warns once: who gave seconds by mistake did so everywhere. */
  checkTtl({ ttlMs }: LeaseSettings): void {
    if (ttlMs >= SHORT_TTL_MS || this.#isShortTtlTold) return;
    this.#isShortTtlTold = true;
    const message = `\`ttlMs\` of ${ttlMs} is very short: the lock expires after ${ttlMs} ms unless it is renewed. For seconds, multiply by 1000`;
    this.warn("QUORATE_SHORT_TTL", message);
  }

  /** What such a lock needs of the longest ttl on record, where that is less. */
  recordedTtlOf(lease: LeaseSettings): RecordedTtl | undefined {
    return recordedTtlOf(this.nodes, lease);
  }

  /**
   * The keys of one exclusive lock on a name.
   *
   * @param option its name in messages
   * @throws TypeError and RangeError for a bad name
   */
  plainKeysOf(name: unknown, option?: string): LockKind {
    return checkedKeysOf(this.settings.keyPrefix, name, this.nodes.hasCluster, option);
  }

  /** The same, for calls that are impossible after closing. @throws ClosedError */
  openKeysOf(name: unknown, option?: string): LockKind {
    const keys = this.plainKeysOf(name, option);
    if (this.isClosed) throw new ClosedError(keys.name);
    return keys;
  }

  #keysOf(name: string | readonly string[], resolved: ResolvedAcquire): LockKind {
    const { hasCluster } = this.nodes;
    const { keyPrefix, layout } = this.settings;
    return laidOutKeys(checkedKeysOfAll(keyPrefix, name, hasCluster), { layout, ...resolved });
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
