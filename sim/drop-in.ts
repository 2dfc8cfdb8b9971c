import type { GrantedLease } from "../src/coordinator/observer.js";
import type { NodeWithTransport } from "../src/nodes/simulated-nodes.js";
import type { Quorum } from "../src/nodes/open-quorum.js";
import {
  ExecutionError,
  ResourceLockedError,
  type RedlockAbortSignal,
} from "../src/integrations/redlock/execution.js";
import { Redlock, type Lock } from "../src/integrations/redlock/redlock.js";
import type { Calls } from "./calls.js";
import { historyNames } from "./history-name.js";
import { quarantineOf } from "./manager-options.js";
import type { Recorder } from "./recorder.js";
import type { DropInUse, LockSettings, Session } from "./scenario.js";
import { nameOf, type Held, type Service } from "./service.js";
import type { SimProcess } from "./sim-process.js";
import { KEY_PREFIX } from "./watched-keys.js";

/** For all services, ms: shorter than the defaults, as their locks are. */
const [RETRY_DELAY_MS, RETRY_JITTER_MS] = [50, 20];

/** How long the first operation may wait for connections, and each one for nodes to update their record, ms. */
const OPEN_MS = 2_100;

export interface DropInParts {
  readonly process: SimProcess;
  readonly record: Recorder;
  readonly calls: Calls;
  readonly settings: LockSettings;
}

/** A lock of redlock's interface as the service sees it. */
export interface DropInLock extends Held {
  readonly use: DropInUse;
  /** Undefined in the routine of `using`, which gets a signal instead. */
  lock: Lock | undefined;
  readonly signal: RedlockAbortSignal | undefined;
}

/** A service that uses `quorate/redlock` on the same nodes, in a process that also has a lock manager. */
export class DropIn implements Service<DropInLock> {
  readonly process: SimProcess;
  readonly #parts: DropInParts;
  readonly #redlock: Redlock;
  /** The owner granted last, by all names of the lock. */
  readonly #owners = new Map<string, string>();
  #quorum: Quorum | undefined;

  /** @param nodesFor makes the nodes, with connections of their own, and reports what is opened and granted */
  constructor(
    parts: DropInParts,
    nodesFor: (
      onOpen: (quorum: Quorum) => void,
      onGranted: (lease: GrantedLease) => void,
    ) => NodeWithTransport[],
  ) {
    this.process = parts.process;
    this.#parts = parts;
    const nodes = nodesFor(
      (quorum) => {
        this.#quorum = quorum;
      },
      ({ keys, ownerId }) => this.#owners.set(historyNames(keys).join(", "), ownerId),
    );
    const { driftFactor, maxTtlMs } = parts.settings;
    this.#redlock = new Redlock(nodes, {
      ...{ driftFactor, maxTtlMs, quarantine: quarantineOf(parts.settings) },
      retryDelay: RETRY_DELAY_MS,
      retryJitter: RETRY_JITTER_MS,
    });
  }

  /** The quorum it uses; undefined before its first use. */
  get quorum(): Quorum | undefined {
    return this.#quorum;
  }

  get ttlMs(): number {
    return this.#parts.settings.ttlMs;
  }

  /** The lock, or undefined if it was not acquired. */
  async acquire(session: Session, use: DropInUse): Promise<DropInLock | undefined> {
    const { durationMs, retryCount } = use;
    const names = namesOf(session);
    const settle = this.#expectLock(names, use);
    try {
      const lock = await this.#redlock.acquire(resourcesOf(names), durationMs, { retryCount });
      settle("granted");
      const { value: ownerId } = lock;
      const had = { ownerId, names, token: undefined, use, lock, signal: undefined };
      this.#parts.record({ kind: "unwatched", ...this.#about(had) });
      return had;
    } catch (error) {
      settle(await reasonOf(error));
      return undefined;
    }
  }

  /** Acquires the lock and uses it in the routine of `using`, which extends and releases it. */
  async using(
    session: Session,
    use: DropInUse,
    routine: (had: DropInLock) => Promise<void>,
  ): Promise<void> {
    const { durationMs, retryCount, extendBeforeMs: automaticExtensionThreshold = 0 } = use;
    const names = namesOf(session);
    const settle = this.#expectLock(names, use);
    let settleRelease: ((result: string) => void) | undefined;
    const run = async (signal: RedlockAbortSignal): Promise<void> => {
      settle("granted");
      const ownerId = this.#owners.get(names.join(", ")) ?? "";
      const had = { ownerId, names, token: undefined, use, lock: undefined, signal };
      this.#watch(had);
      await routine(had);
      settleRelease = this.#expectRelease(had);
    };
    const settings = { retryCount, automaticExtensionThreshold };
    try {
      await this.#redlock.using(resourcesOf(names), durationMs, settings, run);
      settleRelease?.("ended");
    } catch (error) {
      const reason = await reasonOf(error);
      if (settleRelease === undefined) settle(reason);
      else settleRelease("failed");
    }
  }

  async extend(had: DropInLock): Promise<void> {
    const { lock, use, ownerId } = had;
    // In the routine of `using`, the caller does not extend.
    if (lock === undefined) return;
    const { durationMs, retryCount } = use;
    const withinMs = withinMsOf(use);
    const about = { name: nameOf(had), ownerId, withinMs };
    const settle = this.#parts.calls.begin({ what: "extend", ...about });
    try {
      had.lock = await this.#redlock.extend(lock, durationMs, { retryCount });
      settle("extended");
    } catch (error) {
      if (!(error instanceof ExecutionError)) throw error;
      settle("failed");
    }
  }

  /** Outside of `using`, only the wall clock shows whether the lock is held. */
  isHeld(had: DropInLock): boolean {
    const { signal, lock } = had;
    if (lock !== undefined) return this.process.clock.wallUs() / 1_000 < lock.expiration;
    const isHeld = signal?.aborted === false;
    if (isHeld) this.#parts.record({ kind: "check", ...this.#about(had) });
    return isHeld;
  }

  /** @param isFirst false for a second release, whose result is not judged */
  async release(had: DropInLock, isFirst: boolean): Promise<void> {
    const { lock, use } = had;
    if (lock === undefined) return;
    const settle = this.#expectRelease(had, isFirst);
    try {
      await this.#redlock.release(lock, { retryCount: use.retryCount });
      settle("released");
    } catch (error) {
      if (!(error instanceof ExecutionError)) throw error;
      settle("failed");
    }
  }

  close(): Promise<void> {
    return this.#redlock.quit();
  }

  #watch(had: DropInLock): void {
    const { signal } = had;
    const onAbort = (): void => {
      this.#parts.record({ kind: "lost", ...this.#about(had), reason: "ended" });
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  }

  #expectLock(names: readonly string[], use: DropInUse): (result: string) => void {
    const name = names.join(", ");
    const withinMs = withinMsOf(use);
    return this.#parts.calls.begin({ what: "acquire", name, withinMs, via: "redlock" });
  }

  #expectRelease(had: DropInLock, isFirst = true): (result: string) => void {
    const about = { name: nameOf(had), withinMs: withinMsOf(had.use) };
    const ownerId = isFirst ? had.ownerId : undefined;
    return this.#parts.calls.begin({ what: "release", ...about, ownerId });
  }

  #about(had: DropInLock) {
    return { process: this.process.name, name: nameOf(had), ownerId: had.ownerId };
  }
}

function namesOf({ name, also = [] }: Session): readonly string[] {
  return [name, ...also].toSorted();
}

function resourcesOf(names: readonly string[]): string[] {
  return names.map((name) => KEY_PREFIX + name);
}

/** The node timeout, as its documentation page defines it. */
function deadlineMs({ durationMs }: DropInUse): number {
  return Math.min(Math.max(durationMs / 5, 50), 1_000, durationMs / 2);
}

/** Time within which a call settles and all votes of its last attempt are known. Each pause takes a timer. */
function withinMsOf(use: DropInUse): number {
  const { retryCount } = use;
  const pauseMs = RETRY_DELAY_MS + RETRY_JITTER_MS + 5;
  return OPEN_MS + (retryCount + 2) * (deadlineMs(use) + 5) + retryCount * pauseMs;
}

/**
 * Why an acquire did not get the lock, according to the votes of its last attempt.
 *
 * @throws the error itself, if it is not an ExecutionError
 */
async function reasonOf(failure: unknown): Promise<string> {
  if (!(failure instanceof ExecutionError)) throw failure;
  const attempts = await Promise.all(failure.attempts);
  const last = attempts.at(-1);
  if (last === undefined) return "aborted";
  const { votesAgainst, votesFor, quorumSize, membershipSize } = last;
  const against = [...votesAgainst.values()];
  if (against.every(({ message }) => message === "Connection is closed.")) return "aborted";
  const refusedCount = against.filter((vote) => vote instanceof ResourceLockedError).length;
  if (refusedCount > membershipSize - quorumSize) return "refused";
  return votesFor.size >= quorumSize ? "exhausted" : "unreachable";
}
