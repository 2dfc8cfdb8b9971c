import type { CallEvent, HistoryEvent } from "./oracles/history.js";
import type { AcquireOutcome } from "../src/coordinator/pending-acquire.js";
import type { LeaseHandle } from "../src/coordinator/lease-handle.js";
import type { Lease } from "../src/coordinator/lease.js";
import type { Timer } from "../src/coordinator/ports.js";
import type { Beliefs } from "./beliefs.js";
import type { SimManager } from "./manager.js";
import { historyName } from "./history-name.js";
import { SharedLease } from "../src/reentrancy/shared-lease.js";
import { SimElection } from "./sim-election.js";
import type { SimProcess } from "./sim-process.js";
import type { World } from "./world.js";

interface AcquireOptions {
  readonly abortAfterMs?: number | undefined;
  readonly mode?: "shared" | undefined;
  readonly also?: readonly string[] | undefined;
  readonly owner?: string | undefined;
  readonly permits?: number | undefined;
  readonly steal?: true | undefined;
}

/** The public calls of one process, written down: when they were made, and how they settled. */
export class SimClient {
  readonly process: SimProcess;
  readonly manager: SimManager;
  readonly #world: World;
  readonly #beliefs: Beliefs;
  readonly #record: (event: HistoryEvent) => void;
  readonly #nextCall: () => number;
  /** What the calls promise by; the manager may have been given another. */
  readonly #nodeTimeoutMs: number;
  readonly #elections = new Set<SimElection>();
  #openCallCount = 0;

  constructor(
    process: SimProcess,
    manager: SimManager,
    world: World,
    beliefs: Beliefs,
    record: (event: HistoryEvent) => void,
    nextCall: () => number,
    nodeTimeoutMs: number,
  ) {
    this.process = process;
    this.manager = manager;
    this.#world = world;
    this.#beliefs = beliefs;
    this.#record = record;
    this.#nextCall = nextCall;
    this.#nodeTimeoutMs = nodeTimeoutMs;
  }

  /** The lock, or undefined if it was not had. */
  async acquire(
    name: string,
    waitMs: number,
    { abortAfterMs, mode, also = [], owner, permits, steal }: AcquireOptions = {},
  ): Promise<Lease | undefined> {
    // The last attempt begins no later than waitMs, and may have to seal; for a permit it may begin
    // a node deadline later, if another was free. One who steals begins a node deadline later, where
    // another of its process was about to be granted.
    const isLonger = permits !== undefined || steal === true;
    const askedMs = (isLonger ? 3 : 2) * this.#nodeTimeoutMs;
    // The one attempt of a call that does not wait comes after those of its process that are before it.
    const queuedMs = waitMs === 0 ? this.manager.queueMs : 0;
    const withinMs = waitMs + queuedMs + askedMs;
    const isFair = this.manager.isFair && steal === undefined;
    const wait = { waitMs, mode, ...(owner !== undefined && { owner }), ...(isFair && { isFair }) };
    const names = [name, ...also].toSorted().join(", ");
    const wanted = permits === undefined ? names : `${name}#`;
    const settle = this.#call("acquire", wanted, undefined, withinMs, wait);
    const { clock } = this.process;
    let giveUp: Timer | undefined;
    const outcome = await new Promise<AcquireOutcome>((resolve) => {
      const pendingAcquire = steal
        ? this.manager.steal(name, waitMs, resolve)
        : this.manager.acquire(name, waitMs, resolve, { mode, also, owner, permits });
      if (abortAfterMs === undefined) return;
      giveUp = clock.setTimer(abortAfterMs, () => pendingAcquire.abort());
    });
    giveUp?.cancel();
    const lease = this.manager.holdingOf(outcome);
    settle(outcome.kind === "granted" && lease === undefined ? "tooLate" : outcome.kind);
    return lease;
  }

  async extend(lease: Lease): Promise<void> {
    const settle = this.#call(
      "extend",
      historyName(lease.keys),
      lease.ownerId,
      this.#nodeTimeoutMs,
    );
    const result = await lease.extend();
    settle(result.kind);
  }

  /** Stands for election of the name. */
  elect(name: string): SimElection {
    const election = new SimElection(this, name, () => this.#elections.delete(election));
    this.#elections.add(election);
    return election;
  }

  /** The services stand down. */
  endElections(): void {
    for (const election of this.#elections) void election.end();
  }

  /** A term is asked for: it may take for ever, unless the manager is closed. */
  expectTerm(name: string): (result: string) => void {
    return this.#call("acquire", name, undefined, Number.POSITIVE_INFINITY);
  }

  /** Whoever leaves a term need not call release: the election has to. */
  expectRelease(lease: Lease): (result: string) => void {
    return this.#call("release", historyName(lease.keys), lease.ownerId, this.#nodeTimeoutMs);
  }

  /** So many handles on the lock. */
  handlesOn(lease: Lease, count: number): readonly LeaseHandle[] {
    const hold = new SharedLease(lease);
    return Array.from({ length: count }, (_, index) => {
      const handle = hold.join();
      this.#tellHandle(lease, handle, index, "join");
      return handle;
    });
  }

  /** The release of a handle that is not the last. */
  leave(lease: Lease, handle: LeaseHandle, index: number): void {
    void handle.release();
    this.#tellHandle(lease, handle, index, "leave");
  }

  /** @param handle the last one on the holding, and which it is; or the holding itself */
  async release(lease: Lease, handle: LeaseHandle = lease, index = 0): Promise<string> {
    const settle = this.expectRelease(lease);
    // Before the call: whoever releases has stopped to believe, unless the lock was lost before.
    if (lease.isHeld()) this.#beliefs.end(lease.ownerId, "released");
    const releasing = handle.release();
    // From here on nobody may be told that it is held, whoever has it next.
    this.isHeld(lease);
    if (handle !== lease) this.#tellHandle(lease, handle, index, "leave");
    const result = await releasing;
    settle(result);
    return result;
  }

  /** Gives the lock away, if it is held: whoever names this owner may have it. */
  give(lease: Lease): string | undefined {
    if (!lease.isHeld()) return undefined;
    // Before the call: whoever gives it away has stopped to believe.
    this.#beliefs.end(lease.ownerId, "given");
    lease.give();
    this.isHeld(lease);
    return lease.ownerId;
  }

  /** Goes on with a lock that was given away; undefined if it was not to be had. */
  async adopt(name: string, giverId: string): Promise<Lease | undefined> {
    const withinMs = this.manager.queueMs + 2 * this.#nodeTimeoutMs;
    const settle = this.#call("adopt", name, giverId, withinMs);
    const outcome = await new Promise<AcquireOutcome>((resolve) => {
      this.manager.adopt(name, giverId, resolve);
    });
    const lease = this.manager.holdingOf(outcome);
    settle(lease === undefined ? "notAdopted" : "adopted");
    return lease;
  }

  /** Ends whatever locks there are of the name. */
  async force(name: string): Promise<void> {
    const settle = this.#call("force", name, undefined, 2 * this.#nodeTimeoutMs);
    const { ownerIds, isQuorate } = await this.manager.force(name);
    const process = this.process.name;
    this.#record({ kind: "force", atUs: this.#world.nowUs, process, name, ownerIds, isQuorate });
    settle(isQuorate ? "ended" : "unreachable");
  }

  /** A term was handed out, which says that it lasts. */
  takeTerm({ ownerId, keys }: Lease): void {
    const process = this.process.name;
    this.#record({ kind: "check", atUs: this.#world.nowUs, process, name: keys.name, ownerId });
  }

  /** The synchronous check before a critical step. */
  isHeld(lease: Lease): boolean {
    const isHeld = lease.isHeld();
    const { ownerId } = lease;
    const name = historyName(lease.keys);
    const process = this.process.name;
    if (isHeld) this.#record({ kind: "check", atUs: this.#world.nowUs, process, name, ownerId });
    return isHeld;
  }

  /** Closes the manager, and counts what is left of it in the process. */
  async close(): Promise<void> {
    this.#tell("closing");
    await this.manager.close((lease) => this.release(lease));
    this.#tell("closed");
    // What closing answers is still on its way to its callers.
    this.process.enter(() => this.#tellRemains());
  }

  #tellHandle(
    { ownerId, keys }: Lease,
    lease: LeaseHandle,
    handle: number,
    what: "join" | "leave",
  ): void {
    const about = { process: this.process.name, name: keys.name, ownerId, handle, what };
    this.#record({ kind: "handle", atUs: this.#world.nowUs, ...about, isHeld: lease.isHeld() });
  }

  #tellRemains(): void {
    this.#record({
      kind: "remains",
      atUs: this.#world.nowUs,
      process: this.process.name,
      timerCount: this.process.timerCount,
      openCallCount: this.#openCallCount,
    });
  }

  #tell(what: "closing" | "closed"): void {
    this.#record({ kind: "process", atUs: this.#world.nowUs, process: this.process.name, what });
  }

  #call(
    what: CallEvent["what"],
    name: string,
    ownerId: string | undefined,
    withinMs: number,
    wait: Pick<CallEvent, "waitMs" | "isFair" | "mode" | "owner"> = {},
  ): (result: string) => void {
    const call = this.#nextCall();
    const process = this.process.name;
    const stamp = () => ({ atUs: this.#world.nowUs, steadyMs: this.process.clock.steady() });
    const about = { process, call, what, name, ownerId, withinMs, ...wait };
    this.#record({ kind: "call", ...stamp(), ...about });
    this.#openCallCount++;
    return (result) => {
      this.#openCallCount--;
      this.#record({ kind: "settle", ...stamp(), process, call, result });
    };
  }
}
