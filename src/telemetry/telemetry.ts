import type { NodeChannel } from "../channel/node-channel.js";
import type { ChannelState } from "../channel/channel-state.js";
import type { GrantedLease, Observer } from "../coordinator/observer.js";
import type { LossReason } from "../coordinator/loss.js";
import type { Clock } from "../coordinator/ports.js";
import type { RoundWatcher } from "../coordinator/round.js";
import type { ReleaseResult } from "../coordinator/release-result.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Operation } from "../protocol/operation.js";
import { CHANNELS } from "./channels.js";
import type { ExtendMessage, ReleaseMessage } from "./messages.js";
import { RoundTrace } from "./round-trace.js";
import { lateLock, lockMessage } from "./translate.js";

/** The nodes of the observed manager. */
export interface ObservedNodes {
  readonly clock: Clock;
  readonly names: readonly string[];
}

/**
 * Publishes what one lock manager's coordinator reports. Messages are built only for subscribers, and published after
 * the current call returns: a subscriber may do anything, such as release the lock in the message.
 */
export class Telemetry implements Partial<Observer> {
  readonly #nodes: () => ObservedNodes;
  readonly #states: (ChannelState | undefined)[] = [];
  /** Validity that was left at the last extension, ms. */
  readonly #margins = new WeakMap<GrantedLease, number>();

  /** @param nodes called only when something is reported */
  constructor(nodes: () => ObservedNodes) {
    this.#nodes = nodes;
  }

  readonly hearsLate = (): boolean => CHANNELS.late.hasSubscribers;

  readonly onLate = (lease: GrantedLease, lateMs: number): void => {
    if (!CHANNELS.late.hasSubscribers) return;
    const message = lateLock(lease, lateMs, this.#nodes().clock);
    queueMicrotask(() => CHANNELS.late.publish(message));
  };

  readonly onLost = (lease: GrantedLease, reason: LossReason): void => {
    if (!CHANNELS.lost.hasSubscribers) return;
    const { keys, fencingToken, lossCause } = lease;
    const message = {
      ...lockMessage(keys),
      fencingToken,
      reason,
      cause: lossCause?.kind,
      lateMs: lossCause && "lateMs" in lossCause ? lossCause.lateMs : undefined,
      heldMs: this.#heldMs(lease),
      validMs: this.#margins.get(lease),
    };
    queueMicrotask(() => CHANNELS.lost.publish(message));
  };

  readonly onNodeState = (
    { index, name, quarantineLeftMs }: NodeChannel,
    state: ChannelState,
    detail: string,
  ): void => {
    const previous = this.#states[index];
    this.#states[index] = state;
    if (!CHANNELS.node.hasSubscribers) return;
    const message = { node: name, state, previous, detail, quarantineLeftMs };
    queueMicrotask(() => CHANNELS.node.publish(message));
  };

  readonly onWaiting = (keys: LockKind, count: number, change: 1 | -1): void => {
    if (!CHANNELS.waiting.hasSubscribers) return;
    const message = { ...lockMessage(keys), count, change };
    queueMicrotask(() => CHANNELS.waiting.publish(message));
  };

  readonly onRound = (operation: Operation): RoundWatcher | undefined => {
    if (!CHANNELS.round.hasSubscribers) return undefined;
    const { clock, names } = this.#nodes();
    return new RoundTrace(operation, clock, names);
  };

  readonly onExtending: NonNullable<Observer["onExtending"]> = (lease, dueMs) => {
    const isHeard = CHANNELS.extend.hasSubscribers;
    if (!isHeard && !CHANNELS.lost.hasSubscribers) return undefined;
    const { clock } = this.#nodes();
    const startMs = clock.now();
    const beforeMs = lease.validUntilMs;
    const message: ExtendMessage = {
      ...lockMessage(lease.keys),
      fencingToken: lease.fencingToken,
      isRenewal: dueMs !== undefined,
      lateMs: Math.max(0, startMs - (dueMs ?? startMs)),
      validBeforeMs: beforeMs - startMs,
      validAfterMs: beforeMs - startMs,
      isLate: false,
      outcome: undefined,
      durationMs: 0,
    };
    const { start, end, asyncStart, asyncEnd } = CHANNELS.extend;
    queueMicrotask(() => {
      start.publish(message);
      end.publish(message);
    });
    return (outcome) => {
      const nowMs = clock.now();
      const validBeforeMs = Math.max(0, beforeMs - nowMs);
      const { lossNoticeMs = 0 } = lease.settings;
      if (outcome === "extended") this.#margins.set(lease, validBeforeMs);
      Object.assign(message, {
        outcome,
        validBeforeMs,
        validAfterMs: outcome === "lost" ? 0 : Math.max(0, lease.validUntilMs - nowMs),
        isLate: validBeforeMs < lossNoticeMs,
        durationMs: nowMs - startMs,
      });
      queueMicrotask(() => {
        asyncStart.publish(message);
        asyncEnd.publish(message);
      });
    };
  };

  readonly onReleasing = (lease: GrantedLease, releasing: Promise<ReleaseResult>): void => {
    const { release } = CHANNELS;
    if (!release.hasSubscribers) return;
    const message: ReleaseMessage = {
      ...lockMessage(lease.keys),
      fencingToken: lease.fencingToken,
      heldMs: this.#heldMs(lease),
      validMs: Math.max(0, lease.validUntilMs - this.#nodes().clock.now()),
      result: undefined,
    };
    queueMicrotask(() => {
      release.start.publish(message);
      release.end.publish(message);
    });
    void releasing.then((result) => {
      message.result = result;
      release.asyncStart.publish(message);
      release.asyncEnd.publish(message);
    });
  };

  /** Not beyond its validity: a process that stood still tells of its end when others may long have had the lock. */
  #heldMs({ grantedAtMs, validUntilMs }: GrantedLease): number {
    const endMs = Math.min(this.#nodes().clock.now(), validUntilMs);
    return Math.max(0, endMs - (grantedAtMs ?? endMs));
  }
}
