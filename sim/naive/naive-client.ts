import type { EndEvent } from "../oracles/history.js";
import { Calls } from "../calls.js";
import type { SimEvent } from "../event-queue.js";
import { Wire } from "../foreign/wire.js";
import type { Link } from "../link.js";
import type { Recorder } from "../recorder.js";
import type { LockSettings, Session } from "../scenario.js";
import type { Held, Service } from "../service.js";
import type { SimNode } from "../sim-node.js";
import type { SimProcess } from "../sim-process.js";
import { useLock, type SessionWorld } from "../use-lock.js";
import { KEY_PREFIX } from "../watched-keys.js";
import type { World } from "../world.js";
import { NaiveRedlock, type NaiveVote } from "./naive-redlock.js";

export interface NaiveClientParts {
  readonly process: SimProcess;
  readonly settings: LockSettings;
  readonly nodes: readonly SimNode[];
  readonly links: readonly Link[];
  readonly world: World;
  readonly record: Recorder;
  readonly nextCall: () => number;
  readonly nextRound: () => number;
}

interface NaiveLock extends Held {
  readonly untilMs: number;
  isReleased: boolean;
  expiry: SimEvent | undefined;
}

/**
 * A service that uses a naive Redlock. It leaves the same history as one that uses a `LockManager`, so that the same
 * oracles judge both; its lease clock is its wall clock.
 */
export class NaiveClient implements Service<NaiveLock> {
  readonly process: SimProcess;
  readonly calls: Calls;
  readonly #parts: NaiveClientParts;
  readonly #wires: readonly Wire[];
  readonly #locks = new Set<NaiveLock>();

  constructor(parts: NaiveClientParts) {
    const { process, nodes, links, settings, record, nextCall } = parts;
    this.process = process;
    this.#parts = parts;
    this.calls = new Calls(process, record, nextCall);
    this.#wires = nodes.map((node, index) => {
      return new Wire(node, { link: links[index] as Link, process }, settings.nodeTimeoutMs);
    });
    for (const wire of this.#wires) wire.open();
    process.onDisturbed = () => {
      for (const lock of this.#locks) this.#watch(lock);
    };
  }

  get ttlMs(): number {
    return this.#parts.settings.ttlMs;
  }

  async run(sessionWorld: SessionWorld, session: Session): Promise<void> {
    const { name, waitMs } = session;
    const redlock = this.#redlockOf(name);
    const withinMs = Number.POSITIVE_INFINITY;
    const settle = this.calls.begin({ what: "acquire", name, waitMs, withinMs });
    const lock = await this.#acquire(redlock, session, sessionWorld.isEnding);
    settle(lock === undefined ? "refused" : "granted");
    if (lock === undefined) return;
    await useLock(sessionWorld, this, session, lock, async () => {
      this.#end(lock, "released");
      lock.isReleased = true;
      const { ownerId } = lock;
      const settleRelease = this.calls.begin({ what: "release", name, ownerId, withinMs });
      await redlock.release(ownerId);
      settleRelease("released");
    });
  }

  /** By the wall clock. */
  isHeld(lock: NaiveLock): boolean {
    const isHeld = !lock.isReleased && this.#wallMs() < lock.untilMs;
    const { ownerId } = lock;
    if (isHeld) this.#parts.record({ kind: "check", ...this.#about(lock), ownerId });
    return isHeld;
  }

  /** The description mentions extending as an option, without the rules that would be needed here. */
  extend(): Promise<void> {
    return Promise.resolve();
  }

  crash(): void {
    for (const lock of this.#locks) this.#end(lock, "crashed");
    for (const wire of this.#wires) wire.crash();
    this.process.crash();
  }

  async #acquire(
    redlock: NaiveRedlock,
    { name, waitMs }: Session,
    isEnding: () => boolean,
  ): Promise<NaiveLock | undefined> {
    const { clock, entropy } = this.process;
    const giveUpMs = clock.steady() + waitMs;
    for (;;) {
      const ownerId = entropy.id();
      const untilMs = await redlock.acquire(ownerId);
      if (untilMs !== undefined) return this.#begin(name, ownerId, untilMs);
      if (isEnding() || clock.steady() >= giveUpMs) return undefined;
      await redlock.pause();
      if (isEnding() || clock.steady() >= giveUpMs) return undefined;
    }
  }

  #begin(name: string, ownerId: string, untilMs: number): NaiveLock {
    const lock: NaiveLock = {
      ...{ ownerId, untilMs, names: [name], token: undefined },
      ...{ isReleased: false, expiry: undefined },
    };
    this.#locks.add(lock);
    const { settings, record } = this.#parts;
    record({
      kind: "grant",
      ...this.#about(lock),
      ...{ ownerId, token: undefined, ttlMs: settings.ttlMs },
      leaseMs: this.#wallMs(),
      validUntilMs: untilMs,
      untilUs: this.#watch(lock),
    });
    return lock;
  }

  #watch(lock: NaiveLock): number {
    if (lock.expiry) lock.expiry.run = undefined;
    const untilUs = this.process.trueUsAtWall(lock.untilMs);
    lock.expiry = this.#parts.world.at(untilUs, () => this.#end(lock, "expired"));
    return untilUs;
  }

  #end(lock: NaiveLock, why: EndEvent["why"]): void {
    if (!this.#locks.delete(lock)) return;
    if (lock.expiry) lock.expiry.run = undefined;
    this.#parts.record({ kind: "end", ...this.#about(lock), ownerId: lock.ownerId, why });
  }

  #redlockOf(name: string): NaiveRedlock {
    const { settings, record, nextRound } = this.#parts;
    const { ttlMs } = settings;
    const about = { process: this.process.name, name };
    return new NaiveRedlock({
      ...{ process: this.process, wires: this.#wires, key: KEY_PREFIX + name, ttlMs, nextRound },
      onSend: (node, op, ownerId, round) => {
        const leaseMs = this.#wallMs();
        const what = { node, op, ownerId, round, ttlMs, fence: undefined, leaseMs };
        record({ kind: "send", ...about, ...what });
      },
      onVote: ({ value, ...vote }: NaiveVote) => {
        record({ kind: "vote", ...about, ...vote, ownerId: value, fence: 0 });
      },
    });
  }

  #about({ names: [name = ""] }: NaiveLock) {
    return { process: this.process.name, name };
  }

  #wallMs(): number {
    return Math.floor(this.process.clock.wallUs() / 1_000);
  }
}
