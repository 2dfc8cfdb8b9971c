import type { Link } from "../link.js";
import type { ForeignEvent } from "../oracles/history.js";
import type { SimProcess } from "../sim-process.js";
import { SimSubscription } from "../sim-subscription.js";
import type { ForeignBeliefs } from "./foreign-beliefs.js";
import type { ForeignParts } from "./foreign-parts.js";
import type { ForeignLock, ForeignSite } from "./foreign-lock.js";
import { HandWrittenLock } from "./hand-written.js";
import { ReadWriteLock } from "./read-write.js";
import { RedissonLock } from "./redisson.js";
import { RedlockLock } from "./redlock.js";
import type { ForeignCode, ForeignSession, ForeignSettings } from "./settings.js";
import { TokenLock } from "./token.js";
import { Wire } from "./wire.js";

/** Pause of a waiter between two attempts, ms. */
const PAUSE_MS = 30;

const CODES: Readonly<Record<ForeignCode, new (site: ForeignSite) => ForeignLock>> = {
  redlock: RedlockLock,
  token: TokenLock,
  rlock: RedissonLock,
  rwlock: ReadWriteLock,
  "hand-written": HandWrittenLock,
};

interface ClientParts extends Omit<ForeignParts, "links"> {
  readonly links: readonly Link[];
  readonly beliefs: ForeignBeliefs;
}

/** A process of foreign code that uses locks according to its sessions. */
export class ForeignClient {
  readonly process: SimProcess;
  readonly #settings: ForeignSettings;
  readonly #parts: ClientParts;
  readonly #wires: readonly Wire[];
  readonly #subscriptions = new Set<SimSubscription>();
  #sessionCount = 0;

  constructor(process: SimProcess, settings: ForeignSettings, parts: ClientParts) {
    this.process = process;
    this.#settings = settings;
    this.#parts = parts;
    this.#wires = parts.nodes.map((node, index) => {
      return new Wire(node, { link: parts.links[index] as Link, process }, settings.timeoutMs);
    });
  }

  /** The process dies: its kernel closes its connections. */
  crash(): void {
    for (const wire of this.#wires) wire.crash();
    for (const subscription of this.#subscriptions) subscription.close();
    this.process.crash();
  }

  async run(session: ForeignSession): Promise<void> {
    const lock = this.#lockFor(session);
    const { beliefs, isEnding } = this.#parts;
    const untilMs = await this.#acquire(lock, session);
    if (untilMs === undefined) return;
    const { ownerId } = lock;
    beliefs.begin(this.process, session.name, ownerId, untilMs);
    const stepMs = Math.min(session.holdMs, this.#settings.ttlMs / 3);
    const overMs = this.#steadyMs + session.holdMs;
    for (let entered = 0; this.#steadyMs < overMs && !isEnding();) {
      await this.process.sleep(stepMs);
      if (entered++ < session.enterCount) await lock.enterAgain?.();
      if (!session.renews || this.#steadyMs >= overMs || lock.renew === undefined) continue;
      const renewedMs = await lock.renew();
      if (renewedMs === undefined) break;
      beliefs.renew(ownerId, renewedMs);
    }
    // Before the request is sent: a holder that releases no longer counts on the lock.
    beliefs.end(ownerId);
    await lock.unlock();
  }

  /** Until when it holds the lock; undefined if it gave up. */
  async #acquire(lock: ForeignLock, session: ForeignSession): Promise<number | undefined> {
    const giveUpMs = this.#steadyMs + session.waitMs;
    let wake = (): void => {};
    const stopListening = session.waitMs === 0 ? undefined : lock.listen?.(() => wake());
    try {
      for (;;) {
        const untilMs = await lock.tryLock();
        if (untilMs !== undefined) return untilMs;
        this.#tell(session, lock, "refused");
        if (this.#parts.isEnding() || this.#steadyMs >= giveUpMs) return undefined;
        const woken = new Promise<void>((resolve) => {
          wake = () => {
            this.#tell(session, lock, "woken");
            resolve();
          };
        });
        await Promise.race([woken, this.process.sleep(PAUSE_MS)]);
      }
    } finally {
      stopListening?.();
    }
  }

  #lockFor(session: ForeignSession): ForeignLock {
    const { process } = this;
    const Lock = CODES[this.#settings.code];
    return new Lock({
      process,
      settings: this.#settings,
      wires: this.#wires,
      id: `${process.name}-${this.#sessionCount++}`,
      key: this.#parts.keyPrefix + session.name,
      session,
      subscribe: (channel, onMessage) => this.#subscribe(channel, onMessage),
    });
  }

  #subscribe(channel: string, onMessage: (message: string) => void): () => void {
    const { nodes, links } = this.#parts;
    const subscriptions = nodes.map((node, index) => {
      const end = { link: links[index] as Link, process: this.process };
      const events = { onOpen: () => {}, onMessage, onClose: () => {} };
      return new SimSubscription(node, end, channel, events);
    });
    for (const subscription of subscriptions) this.#subscriptions.add(subscription);
    return () => {
      for (const subscription of subscriptions) {
        subscription.close();
        this.#subscriptions.delete(subscription);
      }
    };
  }

  #tell({ name }: ForeignSession, { ownerId }: ForeignLock, what: ForeignEvent["what"]): void {
    this.#parts.record({ kind: "foreign", process: this.process.name, name, ownerId, what });
  }

  get #steadyMs(): number {
    return this.process.clock.steady();
  }
}
