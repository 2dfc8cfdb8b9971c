import { getOrAdd } from "./oracles/get-or-add.js";
import { LockLostError, NotReadyError, QuorateError } from "../src/api/errors.js";
import type { NodeStatus } from "../src/api/events.js";
import { seenIn } from "./seen-in.js";
import type { Lock } from "../src/api/lock.js";
import type { LockManager } from "../src/manager/lock-manager.js";
import type { Quorum } from "../src/nodes/open-quorum.js";
import type { Calls } from "./calls.js";
import { resultOf, waitingCountIn } from "./call-result.js";
import type { DropIn } from "./drop-in.js";
import type { Fingerprints } from "./fingerprints.js";
import { historyNamesOf } from "./history-name.js";
import type { Recorder } from "./recorder.js";
import type { LockSettings } from "./scenario.js";
import { SimElection } from "./sim-election.js";
import { nameOf, type Service } from "./service.js";
import type { SimLock } from "./sim-lock.js";
import type { SimProcess } from "./sim-process.js";
import { Testimony } from "./testimony.js";
import { acquireCall, giveUpAfter, queueOf, type Wanted } from "./wanted.js";
import type { World } from "./world.js";
import { ownerIdOf } from "../src/manager/lock.js";
import { whoOf } from "../src/manager/observers.js";

export interface ClientParts {
  readonly process: SimProcess;
  readonly locks: LockManager;
  /** The numbers of the nodes that it uses. */
  readonly nodes: readonly number[];
  /** The quorum that the manager uses. */
  readonly quorum: Quorum;
  /** By name: the owner in this process to which it was granted last. */
  readonly owners: ReadonlyMap<string, string>;
  readonly settings: LockSettings;
  readonly world: World;
  readonly record: Recorder;
  readonly calls: Calls;
  /** The service in this process that uses redlock's interface, if any. */
  readonly dropIn: DropIn | undefined;
  /** Of all owners that were ever stored in a key. */
  readonly fingerprints: Fingerprints;
}

/** A service that uses a `LockManager`. Its calls, and what it is told, are recorded. */
export class SimClient implements Service<SimLock> {
  readonly process: SimProcess;
  readonly locks: LockManager;
  readonly nodes: readonly number[];
  readonly quorum: Quorum;
  readonly calls: Calls;
  readonly dropIn: DropIn | undefined;
  readonly told: Testimony;
  readonly #parts: ClientParts;
  readonly #elections = new Set<SimElection>();
  #observerCount = 0;
  /** How many callbacks of requests run, and who waits for the last of them. */
  #callbackCount = 0;
  #onLastCallback: (() => void) | undefined;
  /** By owner and token: the handles that are not yet released. */
  readonly #handles = new Map<string, Set<SimLock>>();
  /** By owner: the handle released last. */
  readonly #freeing = new Map<string, SimLock>();

  constructor(parts: ClientParts) {
    this.process = parts.process;
    this.locks = parts.locks;
    this.nodes = parts.nodes;
    this.quorum = parts.quorum;
    this.calls = parts.calls;
    this.dropIn = parts.dropIn;
    this.told = new Testimony(parts.process, parts.record);
    this.#parts = parts;
  }

  get ttlMs(): number {
    return this.#parts.settings.ttlMs;
  }

  /** The lock, or undefined if it was not acquired. */
  async acquire(wanted: Wanted): Promise<SimLock | undefined> {
    const settle = this.#expectLock(wanted);
    const { signal, timer } = giveUpAfter(this.process, wanted.abortAfterMs);
    const { name, also = [], permits, takes, waitMs, mode, owner, options } = wanted;
    // A single attempt uses another method.
    const how = waitMs === 0 ? "tryAcquire" : "acquire";
    const wait = { ...options, signal, ...(waitMs > 0 && { waitMs }) };
    try {
      const lock = await (permits === undefined
        ? this.locks[how]([name, ...also], { mode, owner, ...wait })
        : this.locks.semaphore(name, { permits })[how]({ ...wait, permits: takes }));
      settle(lock === null ? "refused" : "granted");
      return lock === null ? undefined : this.#have(lock);
    } catch (error) {
      settle(resultOf(error), waitingCountIn(error));
      return undefined;
    } finally {
      timer?.cancel();
    }
  }

  /**
   * Uses the lock, if it is acquired, in the callback of a request, which releases it. Sessions that steal or that
   * use several handles use this too.
   */
  async request(
    wanted: Wanted,
    isReentrant: boolean,
    use: (lock: SimLock) => Promise<void>,
  ): Promise<void> {
    const settle = this.#expectLock(wanted);
    const { name, also = [], permits, takes, waitMs, mode, owner, steal, options } = wanted;
    const reentrant = isReentrant || undefined;
    // A caller that steals cannot give up.
    const patienceMs = steal === true ? undefined : wanted.abortAfterMs;
    const { signal, timer } = giveUpAfter(this.process, patienceMs);
    let had: SimLock | undefined;
    let settleRelease: ((result: string) => void) | undefined;
    const callback = async (lock: Lock | null): Promise<void> => {
      timer?.cancel();
      settle(lock === null ? "refused" : "granted");
      if (lock === null) return;
      had = this.#have(lock, isReentrant ? 0 : undefined);
      this.#callbackCount++;
      await use(had);
      if (lock.isHeld) settleRelease = this.expectRelease(had);
    };
    try {
      if (permits !== undefined) {
        await this.locks
          .semaphore(name, { permits })
          .request({ ...options, waitMs, signal, permits: takes }, callback);
      } else {
        const isOnce = waitMs === 0 && signal === undefined && steal === undefined;
        const how = isOnce ? { ifAvailable: true } : { waitMs, signal, steal };
        const asked = { ...options, mode, owner, reentrant, ...how };
        await this.locks.request([name, ...also], asked, callback);
      }
    } catch (error) {
      timer?.cancel();
      if (had === undefined) settle(resultOf(error), waitingCountIn(error));
      else if (!(error instanceof LockLostError)) throw error;
    } finally {
      if (had !== undefined && --this.#callbackCount === 0) this.#onLastCallback?.();
    }
    if (had === undefined || settleRelease === undefined) return;
    const { lock } = had as { readonly lock: Lock };
    // A second release returns the result of the first. A release that the request failed to make stays missing.
    if (!lock.isHeld) settleRelease(await lock.release());
  }

  /** One more handle on the lock of the request whose callback calls this. */
  async join(name: string, handle: number): Promise<SimLock> {
    return this.#have(await this.locks.acquire(name, { reentrant: true }), handle);
  }

  async enterAgain(wanted: Wanted): Promise<void> {
    const inner = await this.acquire(wanted);
    if (inner === undefined) return;
    await this.process.sleep(1);
    await this.release(inner);
  }

  async extend(had: SimLock, toMs?: number): Promise<void> {
    const { lock, ownerId } = had;
    // The election extends its terms.
    if (!("extend" in lock)) return;
    const about = { name: nameOf(had), ownerId, withinMs: this.#parts.settings.nodeTimeoutMs };
    const leaseMs = this.process.peekLeaseMs();
    const settle = this.calls.begin({ what: "extend", ...about, toMs, leaseMs });
    try {
      await lock.extend(toMs);
      settle("extended");
    } catch (error) {
      if (!(error instanceof QuorateError)) throw error;
      settle(error instanceof LockLostError ? "lost" : "failed");
    }
  }

  /** Stands for election under the name until it gives up. */
  elect(name: string, abortAfterMs: number | undefined): SimElection {
    const { owners } = this.#parts;
    const election = new SimElection(this, name, {
      abortAfterMs,
      had: (term) => {
        const { fencingToken: token } = term;
        const had = { lock: term, ownerId: owners.get(name) ?? "", token, names: [name] };
        this.told.watch(had);
        return had;
      },
      onOver: () => this.#elections.delete(election),
    });
    this.#elections.add(election);
    return election;
  }

  /** Ends all candidacies, and releases everything it holds. */
  releaseAll(): void {
    for (const election of this.#elections) void election.end();
    for (const handles of this.#handles.values()) {
      for (const had of handles) if (had.lock.isHeld) void this.release(had);
    }
  }

  /** Records the request for a term: it may take without limit, unless the manager is closed. */
  expectTerm(name: string): (result: string) => void {
    return this.calls.begin({ what: "acquire", name, withinMs: Number.POSITIVE_INFINITY });
  }

  /** A release that the election or the request makes itself when a term or a callback ends. */
  expectRelease(had: SimLock): (result: string) => void {
    const { ownerId, token } = had;
    const withinMs = this.#parts.settings.nodeTimeoutMs;
    return this.calls.begin({ what: "release", name: nameOf(had), ownerId, token, withinMs });
  }

  async release(had: SimLock): Promise<void> {
    const { lock } = had;
    const isLast = this.#leave(had);
    const settle = isLast ? this.expectRelease(had) : undefined;
    const releasing = "release" in lock ? lock.release() : lock.resign();
    // From here on, nobody may see it as held, whoever holds it next.
    if (isLast) this.isHeld(had);
    this.told.onHandle(had, "leave");
    const result = await releasing;
    settle?.(result);
  }

  /** Whether releasing this handle releases, or released, the lock itself. */
  #leave(had: SimLock): boolean {
    const lock = lockOf(had);
    const handles = this.#handles.get(lock);
    if (handles?.delete(had) === true && handles.size === 0) this.#freeing.set(lock, had);
    return handles === undefined || this.#freeing.get(lock) === had;
  }

  /** Gives the lock away if it is held: a client that gets the text may adopt it. */
  give(had: SimLock): string | undefined {
    if (!had.lock.isHeld) return undefined;
    const json = JSON.stringify((had.lock as Lock).handOver());
    this.isHeld(had);
    return json;
  }

  /** Continues with a lock that was given away; undefined if it was not adopted. */
  async adopt(name: string, giverId: string, json: string): Promise<SimLock | undefined> {
    const { settings } = this.#parts;
    const [withinMs, queue] = [2 * settings.nodeTimeoutMs, queueOf(settings, this.quorum)];
    const settle = this.calls.begin({ what: "adopt", name, ownerId: giverId, withinMs, queue });
    try {
      const had = this.#have(await this.locks.adopt(json));
      settle("adopted");
      return had;
    } catch (error) {
      // RangeError: the giver's clock, and so possibly its token, is far ahead of ours.
      if (!(error instanceof QuorateError || error instanceof RangeError)) throw error;
      settle("notAdopted");
      return undefined;
    }
  }

  /** Forces the release of all locks of the name. */
  async force(name: string): Promise<void> {
    const { record, settings, fingerprints } = this.#parts;
    const withinMs = 2 * settings.nodeTimeoutMs;
    const settle = this.calls.begin({ what: "force", name, withinMs });
    let [ownerIds, isQuorate]: [string[], boolean] = [[], false];
    try {
      const { removed, ...result } = await this.locks.forceRelease(name);
      isQuorate = result.isQuorate;
      ownerIds = removed.map(({ fingerprint }) => fingerprints.of(fingerprint));
    } catch (error) {
      if (!(error instanceof QuorateError)) throw error;
    }
    const process = this.process.name;
    record({ kind: "force", process, name, ownerIds, isQuorate });
    settle(isQuorate ? "ended" : "unreachable");
  }

  /** Queries who holds the name. */
  async look(name: string): Promise<void> {
    const { world, record, settings, fingerprints } = this.#parts;
    const sinceUs = world.nowUs;
    const withinMs = settings.nodeTimeoutMs;
    const settle = this.calls.begin({ what: "query", name, withinMs });
    try {
      const report = await this.locks.inspect(name);
      settle(report.state);
      const about = { process: this.process.name, name, sinceUs };
      record({ kind: "report", ...about, ...seenIn(report, fingerprints) });
    } catch (error) {
      settle(resultOf(error));
    }
  }

  /** Changes the number of permits of a semaphore. */
  async resize(name: string, permits: number, to: number): Promise<void> {
    // Each of those that ask at the same moment may need a round.
    const withinMs = 6 * this.#parts.settings.nodeTimeoutMs;
    const settle = this.calls.begin({ what: "resize", name, withinMs, resizeTo: to });
    try {
      await this.locks.semaphore(name, { permits }).resize(to);
      settle("resized");
    } catch (error) {
      settle(resultOf(error));
    }
  }

  /** Asks how many permits are available. */
  async count(name: string, permits: number): Promise<void> {
    const withinMs = this.#parts.settings.nodeTimeoutMs;
    const settle = this.calls.begin({ what: "available", name, withinMs });
    try {
      const count = await this.locks.semaphore(name, { permits }).available();
      settle(String(count));
    } catch (error) {
      settle(resultOf(error));
    }
  }

  /** Observes who holds the name, and is busy for a while with each holder. */
  async observe(
    name: string,
    { forMs, sleepMs }: { readonly forMs: number; readonly sleepMs: number },
  ): Promise<void> {
    const { record } = this.#parts;
    const process = this.process.name;
    const controller = new AbortController();
    const timer = this.process.clock.setTimer(forMs, () => controller.abort());
    const observer = `${process} ${++this.#observerCount}`;
    try {
      for await (const holder of this.locks.observe(name, { signal: controller.signal })) {
        const about = { kind: "observed", process, name, observer } as const;
        if (holder === null) record(about);
        else {
          const { fence, value } = holder;
          record({ ...about, who: whoOf(holder), fence, ...(value !== undefined && { value }) });
        }
        if (sleepMs > 0) await this.process.sleep(sleepMs);
      }
    } catch (error) {
      if (!(error instanceof QuorateError)) throw error;
    } finally {
      timer.cancel();
    }
  }

  /** A leader says something of itself. */
  async proclaim(had: SimLock, value: string): Promise<void> {
    const { lock, ownerId } = had;
    if (!("proclaim" in lock)) return;
    const withinMs = this.#parts.settings.nodeTimeoutMs;
    const settle = this.calls.begin({ what: "proclaim", name: nameOf(had), ownerId, withinMs });
    try {
      await lock.proclaim(value);
      settle("proclaimed");
    } catch (error) {
      if (!(error instanceof QuorateError)) throw error;
      settle(error instanceof LockLostError ? "lost" : "failed");
    }
  }

  /** Waits until it can lock. */
  async untilReady(timeoutMs: number): Promise<void> {
    const { record } = this.#parts;
    const { clock } = this.process;
    const startedMs = clock.steady();
    const settle = this.calls.begin({ what: "ready", name: "", withinMs: timeoutMs });
    const tell = (isReady: boolean, nodes: readonly NodeStatus[]): void => {
      settle(isReady ? "ready" : "notReady");
      const states = nodes.map(({ state }) => state);
      const about = { states, timeoutMs, waitedMs: clock.steady() - startedMs };
      const { name: process } = this.process;
      record({ kind: "readiness", process, isReady, ...about });
    };
    try {
      await this.locks.ready({ timeoutMs });
      tell(true, this.locks.nodes);
    } catch (error) {
      if (error instanceof NotReadyError) tell(false, error.nodes);
      else settle(resultOf(error));
    }
  }

  /** The synchronous check before a critical step. */
  isHeld(had: SimLock): boolean {
    const { isHeld } = had.lock;
    if (isHeld) this.told.onHeld(had);
    return isHeld;
  }

  /**
   * Closes the manager, and counts what remains of it in the process.
   *
   * @param isPatient once the callbacks of requests have ended: the manager waits for them for a while
   */
  async close(isPatient = false): Promise<void> {
    const { record } = this.#parts;
    const process = this.process.name;
    record({ kind: "process", process, what: "closing" });
    await Promise.all([this.locks.close(), this.dropIn?.close()]);
    record({ kind: "process", process, what: "closed" });
    if (isPatient && this.#callbackCount > 0) {
      await new Promise<void>((resolve) => {
        this.#onLastCallback = resolve;
      });
    }
    // The results of closing are still on their way to the callers.
    this.process.enter(() => {
      const { timerCount } = this.process;
      const { openCount: openCallCount } = this.calls;
      record({ kind: "remains", process, timerCount, openCallCount });
    });
  }

  #expectLock(wanted: Wanted): (result: string, waitingCount?: number) => void {
    const { settings } = this.#parts;
    const { name, permits, takes = 1 } = wanted;
    const isMore = permits !== undefined && takes > this.locks.semaphore(name, { permits }).permits;
    return this.calls.begin(acquireCall(wanted, settings, this.quorum, isMore));
  }

  #have(lock: Lock, handle?: number): SimLock {
    const { fencingToken: token } = lock;
    const ownerId = ownerIdOf(lock);
    const had: SimLock = { lock, ownerId, token, names: historyNamesOf(lock), handle };
    getOrAdd(this.#handles, lockOf(had), () => new Set()).add(had);
    this.told.watch(had);
    this.told.onHandle(had, "join");
    return had;
  }
}

/** Tells apart locks that were passed on from one to the other. */
const lockOf = ({ ownerId, token }: SimLock): string => `${ownerId} ${token}`;
