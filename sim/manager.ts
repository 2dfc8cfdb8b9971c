import type { NodeChannel } from "../src/channel/node-channel.js";
import { TakeOver } from "../src/coordinator/take-over.js";
import { PendingAcquire, type AcquireOutcome } from "../src/coordinator/pending-acquire.js";
import type { Context } from "../src/coordinator/context.js";
import type { LeaseSettings } from "../src/coordinator/lease-settings.js";
import type { LossReason } from "../src/coordinator/loss.js";
import type { Pending } from "../src/coordinator/local-competitors.js";
import type { Lease } from "../src/coordinator/lease.js";
import type { Clock, NodePort } from "../src/coordinator/ports.js";
import { inspect, revoke } from "../src/coordinator/revoke.js";
import { Preemption } from "../src/coordinator/preemption.js";
import { DelayedAcquire } from "../src/election/delayed-acquire.js";
import { WINDOW_BOUNDS } from "../src/protocol/admission.js";
import { fenceSlackUs } from "../src/protocol/fencing.js";
import { keysOf } from "../src/kinds/exclusive.js";
import { fenceAbove, holdersFound } from "../src/kinds/holders.js";
import { ownedLock } from "../src/kinds/owned.js";
import { permitLock } from "../src/kinds/permit.js";
import { redissonLock } from "../src/kinds/redisson.js";
import { severalLock } from "../src/kinds/several.js";
import { sharedLock } from "../src/kinds/shared.js";
import type { LockKind } from "../src/protocol/lock-kind.js";
import { quorumSize } from "../src/protocol/verdict.js";
import { openQuorum, type Quorum } from "../src/quorum.js";
import type { Link } from "./link.js";
import type { LockSettings, Session } from "./scenario.js";
import type { SimNode } from "./sim-node.js";
import type { SimProcess } from "./sim-process.js";
import { SimTransport } from "./sim-transport.js";

export const KEY_PREFIX = "lock:";

/** What kind of lock it is to be; a mutex if nothing is said. */
type Kind = Pick<Session, "mode" | "also" | "permits" | "owner">;

/** An acquire under way, with its outcome as a promise. */
export interface SimAcquire {
  readonly outcome: Promise<AcquireOutcome>;
  readonly abort: () => void;
}

export interface ManagerParts {
  readonly process: SimProcess;
  readonly clock: Clock;
  readonly options: LockSettings;
  readonly nodes: readonly SimNode[];
  readonly links: readonly Link[];
  readonly isDurable: readonly boolean[];
  readonly onGranted: (lease: Lease) => void;
  readonly onLost: (lease: Lease, reason: LossReason) => void;
  /** A channel's view of its node changed. */
  readonly onNodeState: (index: number) => void;
  readonly wrapNode: (node: NodePort, index: number) => NodePort;
}

/**
 * One client's lock manager: the production channels and coordinator, wired by the same
 * {@link openQuorum} as in the public `LockManager`, over simulated transports.
 */
export class SimManager {
  readonly lease: LeaseSettings;
  readonly transports: readonly SimTransport[];
  readonly channels: readonly NodeChannel[];
  readonly #options: LockSettings;
  readonly #quorum: Quorum;
  readonly #context: Context;
  readonly #held = new Set<Lease>();
  readonly #pending = new Set<Pending>();
  #isClosing = false;

  constructor(parts: ManagerParts) {
    const { options, process, clock, nodes, links } = parts;
    const { entropy } = process;
    const { maxTtlMs, nodeTimeoutMs, driftFactor, quarantine, bootstrap } = options;
    const { fenceBuckets } = options;
    const constants = { fenceSlackUs: fenceSlackUs(maxTtlMs), fenceBuckets };
    this.#options = options;
    this.lease = leaseOf(options);
    this.transports = nodes.map(
      (node, index) => new SimTransport(node, { link: links[index] as Link, process }, constants),
    );
    this.#quorum = openQuorum(
      this.transports.map((transport, index) => {
        return { transport, isDurable: parts.isDurable[index] ?? false };
      }),
      { clock, entropy },
      {
        ...{ nodeTimeoutMs, maxTtlMs, driftFactor, quarantine, bootstrap },
        allowEviction: false,
        hasInbox: options.isDeaf !== true,
        ...(options.window !== undefined && {
          admission: { min: options.window, start: options.window, max: options.window + 1 },
        }),
      },
      {
        onMismatch: () => {},
        onNodeState: ({ index }) => parts.onNodeState(index),
        wrapNode: parts.wrapNode,
        onGranted: (held) => {
          const lease = held as Lease;
          this.#held.add(lease);
          parts.onGranted(lease);
        },
        onReleased: (held) => this.#held.delete(held as Lease),
        onLost: (held, reason) => {
          const lease = held as Lease;
          this.#held.delete(lease);
          parts.onLost(lease, reason);
        },
      },
    );
    this.#context = this.#quorum.context;
    this.channels = this.#quorum.channels;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** How long an attempt may have to wait for those of its process that are before it, ms. */
  get queueMs(): number {
    const { window = WINDOW_BOUNDS.min, nodeTimeoutMs } = this.#options;
    const { waitingCount, underWayCount } = this.#context.admission;
    // Each asks once, may have to seal, and is followed in another turn of the event loop.
    return Math.floor((waitingCount + underWayCount) / window) * (2 * nodeTimeoutMs + 10);
  }

  /** How long to pause between two tries. */
  get retry(): { readonly minDelayMs: number; readonly maxDelayMs: number } {
    const { minDelayMs, maxDelayMs } = this.#options;
    return { minDelayMs, maxDelayMs };
  }

  /** Whether those who wait here are served in the order in which they came. */
  get isFair(): boolean {
    return this.#options.fair === true;
  }

  get held(): ReadonlySet<Lease> {
    return this.#held;
  }

  /** An acquire under way; `settle` is told how it ended, once. */
  acquire(
    name: string,
    waitMs: number,
    settle: (outcome: AcquireOutcome) => void,
    kind: Kind = {},
  ): PendingAcquire {
    const keys = keysFor(name, kind, this.#options.layout);
    const wait = { waitMs, ...this.retry, fair: this.isFair };
    const pendingAcquire = new PendingAcquire(this.#context, keys, this.lease, wait, (outcome) => {
      this.#pending.delete(pendingAcquire);
      settle(outcome);
    });
    this.#pending.add(pendingAcquire);
    return pendingAcquire;
  }

  /** Takes a lock over that a client gave away; `settle` is told how that ended, once. */
  adopt(name: string, giverId: string, settle: (outcome: AcquireOutcome) => void): void {
    const keys = keysOf(KEY_PREFIX, name);
    const pendingTakeOver = new TakeOver(this.#context, keys, this.lease, giverId, (outcome) => {
      this.#pending.delete(pendingTakeOver);
      settle(outcome);
    });
    this.#pending.add(pendingTakeOver);
  }

  /** Ends whatever locks there are of the name; whose those were, and whether a quorum did so. */
  async force(name: string): Promise<{ ownerIds: string[]; isQuorate: boolean }> {
    const keys = keysOf(KEY_PREFIX, name);
    const { nodeTimeoutMs, driftFactor } = this.lease;
    const seen = await inspect(this.#context, keys, nodeTimeoutMs);
    const quorum = quorumSize(seen.length);
    const isSeen = seen.filter(({ kind }) => kind === "granted").length >= quorum;
    const owners = isSeen ? holdersFound(seen, keys) : [];
    const settings = { nodeTimeoutMs, driftFactor, maxTtlMs: this.#options.maxTtlMs };
    const fence = fenceAbove(seen);
    const votes = await Promise.all(
      owners.map((owner) => revoke(this.#context, keys, owner, fence, settings)),
    );
    const isQuorate = votes.every((all) => {
      return all.filter(({ kind }) => kind !== "fault").length >= quorum;
    });
    return { ownerIds: owners.map(({ ownerId }) => ownerId), isQuorate: isSeen && isQuorate };
  }

  /** An acquire that takes the name from whoever holds it. */
  steal(name: string, waitMs: number, settle: (outcome: AcquireOutcome) => void): Preemption {
    const keys = keysOf(KEY_PREFIX, name);
    const wait = { waitMs, ...this.retry, fair: false };
    const competitors = { held: this.#held, pending: this.#pending };
    const preemption = new Preemption(
      this.#context,
      keys,
      this.lease,
      wait,
      competitors,
      (outcome) => {
        this.#pending.delete(preemption);
        settle(outcome);
      },
    );
    this.#pending.add(preemption);
    preemption.begin();
    return preemption;
  }

  /** A campaign for a term; `settle` is told how it ended, once. */
  campaign(
    name: string,
    delayMs: number,
    settle: (outcome: AcquireOutcome) => void,
  ): { abort(): void } {
    if (this.#isClosing) {
      this.#context.clock.defer(() => settle({ kind: "aborted" }));
      return { abort: () => {} };
    }
    const wait = { waitMs: Number.POSITIVE_INFINITY, ...this.retry, fair: false };
    const settings = {
      keys: keysFor(name, {}, this.#options.layout),
      lease: this.lease,
      wait,
      delayMs,
    };
    const onEnd = (outcome: AcquireOutcome): void => {
      this.#pending.delete(campaign);
      settle(outcome);
    };
    const campaign = new DelayedAcquire(this.#context, settings, onEnd, () => {});
    this.#pending.add(campaign);
    return campaign;
  }

  /** The last look before the caller runs: what was granted may be over by now. */
  holdingOf(outcome: AcquireOutcome): Lease | undefined {
    if (outcome.kind !== "granted" || this.#isClosing) return undefined;
    const { lease } = outcome;
    if (lease.isHeld() && lease.remainingMs > this.lease.minValidityMs) return lease;
    void lease.release();
    return undefined;
  }

  async close(release: (lease: Lease) => Promise<unknown>): Promise<void> {
    this.#isClosing = true;
    for (const pending of this.#pending) pending.abort();
    this.#context.renewals.close();
    await Promise.all([...this.#held].map(release));
    await this.#quorum.close(this.lease.nodeTimeoutMs);
  }
}

function keysFor(
  name: string,
  { mode, also = [], permits, owner }: Kind,
  layout?: "redisson",
): LockKind {
  const keys = severalLock([name, ...also].map((each) => keysOf(KEY_PREFIX, each)));
  if (layout === "redisson") return redissonLock(keys, owner);
  if (owner !== undefined) return ownedLock(keys, owner);
  if (permits !== undefined) return permitLock(keys, permits);
  return mode === "shared" ? sharedLock(keys) : keys;
}

function leaseOf(options: LockSettings): LeaseSettings {
  const { ttlMs, nodeTimeoutMs, driftFactor, minValidityMs, renew, fencing } = options;
  const maxHoldMs = options.maxHoldMs ?? Number.POSITIVE_INFINITY;
  const label = "sim";
  const lease = { ttlMs, nodeTimeoutMs, driftFactor, minValidityMs, maxHoldMs, renew, fencing };
  const { lockDelayMs, minHoldMs } = options;
  if (lockDelayMs === undefined || minHoldMs === undefined) return { ...lease, label };
  const coveringMs = Math.max(minValidityMs, minHoldMs);
  return { ...lease, label, lockDelayMs, minHoldMs, minValidityMs: coveringMs };
}
