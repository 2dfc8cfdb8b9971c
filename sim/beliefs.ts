import type { EndEvent } from "./oracles/history.js";
import type { GrantedLease } from "../src/coordinator/observer.js";
import type { SimEvent } from "./event-queue.js";
import { historyNames } from "./history-name.js";
import type { Recorder } from "./recorder.js";
import type { SimProcess } from "./sim-process.js";
import type { World } from "./world.js";

interface Belief {
  readonly process: SimProcess;
  lease: GrantedLease;
  validUntilMs: number;
  expiry: SimEvent | undefined;
}

/** Which process believes that it holds which lock, to the microsecond of true time, whether or not it runs. */
export class Beliefs {
  readonly #world: World;
  readonly #record: Recorder;
  readonly #beliefs = new Map<string, Belief>();

  constructor(world: World, record: Recorder) {
    this.#world = world;
    this.#record = record;
  }

  begin(process: SimProcess, lease: GrantedLease): void {
    const passed = this.#beliefs.get(lease.ownerId);
    if (passed !== undefined) return this.#passOn(passed, lease);
    const { validUntilMs } = lease;
    const belief: Belief = { process, lease, validUntilMs, expiry: undefined };
    this.#beliefs.set(lease.ownerId, belief);
    const untilUs = this.#watch(belief);
    const { keys, settings, fencingToken: token } = lease;
    const { owner, permits } = keys;
    const mode = owner === undefined && keys.mode === "shared" ? "shared" : undefined;
    const { lockDelayMs, minHoldMs, renew: isRenewed } = settings;
    const kind = {
      mode,
      owner,
      permits: permits?.size.current.count,
      isRenewed,
      lockDelayMs,
      minHoldMs,
    } as const;
    const more = { ...kind, token, untilUs, validUntilMs };
    for (const about of this.#about(belief)) this.#record({ kind: "grant", ...about, ...more });
  }

  /** It goes on, for another caller. */
  #passOn(belief: Belief, lease: GrantedLease): void {
    belief.lease = lease;
    const { ownerId, fencingToken: token } = lease;
    for (const { process, name } of this.#about(belief)) {
      this.#record({ kind: "passed", process, name, ownerId, token });
    }
  }

  /** A quorum has extended it. */
  refresh(ownerId: string): void {
    const belief = this.#beliefs.get(ownerId);
    if (belief === undefined || belief.lease.validUntilMs === belief.validUntilMs) return;
    belief.validUntilMs = belief.lease.validUntilMs;
    const untilUs = this.#watch(belief);
    const { validUntilMs } = belief;
    for (const about of this.#about(belief)) {
      this.#record({ kind: "validity", ...about, untilUs, validUntilMs });
    }
  }

  end(ownerId: string, why: EndEvent["why"]): void {
    const belief = this.#beliefs.get(ownerId);
    if (belief === undefined) return;
    this.#beliefs.delete(ownerId);
    if (belief.expiry) belief.expiry.run = undefined;
    for (const { process, name } of this.#about(belief)) {
      this.#record({ kind: "end", process, name, ownerId, why });
    }
  }

  /** A process's clocks were disturbed: all predicted ends are void. */
  foreseeAgain(process: SimProcess): void {
    for (const belief of this.#beliefs.values()) {
      if (belief.process === process) this.#watch(belief);
    }
  }

  /** The process has crashed. */
  endAll(process: SimProcess): void {
    for (const [ownerId, belief] of this.#beliefs) {
      if (belief.process === process) this.end(ownerId, "crashed");
    }
  }

  /** One entry per name: to others, a set is held name by name. */
  #about({ process, lease, validUntilMs }: Belief) {
    const { keys, ownerId, settings } = lease;
    const about = {
      process: process.name,
      ownerId,
      ttlMs: settings.ttlMs,
      leaseMs: process.peekLeaseMs(),
      validUntilMs,
    };
    return historyNames(keys).map((name) => ({ ...about, name }));
  }

  #watch(belief: Belief): number {
    if (belief.expiry) belief.expiry.run = undefined;
    belief.expiry = undefined;
    const untilUs = belief.process.trueUsAtLease(belief.validUntilMs);
    if (untilUs === Number.POSITIVE_INFINITY) return untilUs;
    belief.expiry = this.#world.at(untilUs, () => {
      const isOver = belief.process.peekLeaseMs() >= belief.validUntilMs;
      if (isOver) this.end(belief.lease.ownerId, "expired");
      else this.#watch(belief);
    });
    return untilUs;
  }
}
