import { Deployment, type DeploymentWarning } from "../channel/deployment.js";
import { Inbox } from "../channel/inbox.js";
import type { LongestTtlSettings } from "../channel/longest-ttl.js";
import { WatchedName } from "../channel/watched-name.js";
import { NodeChannel } from "../channel/node-channel.js";
import type { ChannelState } from "../channel/channel-state.js";
import type { Transport } from "../channel/transport.js";
import type { Context } from "../coordinator/context.js";
import type { Observer } from "../coordinator/observer.js";
import { Admission, renewalsOn, type WindowBounds } from "../coordinator/admission.js";
import { LossNews } from "../coordinator/loss-news.js";
import { WaitQueues } from "../coordinator/wait-queues.js";
import type { Clock, Entropy, NodePort } from "../coordinator/ports.js";
import { Keepers } from "../coordinator/keepers.js";
import { Proposals } from "../coordinator/proposals.js";
import { Schedule } from "../coordinator/schedule.js";
import { grantedKeys } from "../kinds/exclusive.js";
import { reservedBy } from "../kinds/reserved.js";
import type { NodeFlags } from "../redis/node-config.js";
import { bootstrapWindowMs, giveUpAfterMs, handshakeTimeoutMs } from "../protocol/deadlines.js";

/** One node of a quorum, defined by its connections. A flag that is not there is not set. */
export interface QuorumNode extends Partial<NodeFlags> {
  readonly transport: Transport;
  readonly isDurable: boolean;
}

/** The source of time and randomness. */
export interface Runtime {
  readonly clock: Clock;
  readonly entropy: Entropy;
}

export interface QuorumSettings extends Omit<LongestTtlSettings, "nodeCount"> {
  readonly nodeTimeoutMs: number;
  /** Maximum by which a node's clock may gain on real time while it keeps a key, ms. */
  readonly clockStepMs: number;
  readonly driftFactor: number;
  /** Whether nodes that lost their keys are kept from voting. */
  readonly quarantine: boolean;
  /** Whether unused nodes are opened by the first client that finds them. */
  readonly bootstrap: boolean;
  readonly allowEviction: boolean;
  /** Whether waiters are notified by messages; otherwise they poll. */
  readonly hasInbox: boolean;
  readonly keyPrefix: string;
  /** The client takes no locks, and writes no record. Default: false. */
  readonly isLooking?: boolean;
  /** How many attempts may be in flight; by default {@link WINDOW_BOUNDS}. */
  readonly admission?: WindowBounds | undefined;
}

/** Events of the nodes and of the locks on them. Called synchronously: must not throw. */
export interface QuorumObserver extends Observer {
  onNodeState(channel: NodeChannel, state: ChannelState, detail: string): void;
  onNodeWarning(warning: DeploymentWarning): void;
  /** For a recorder of a node's operations and answers. */
  wrapNode?(node: NodePort, index: number): NodePort;
}

/** Channels to all nodes, and the coordinator over them. */
export interface Quorum {
  readonly channels: readonly NodeChannel[];
  readonly context: Context;
  /** Both lists, where the clients on record use other nodes; undefined as far as they use the same. */
  listDifference(): string | undefined;
  /** The largest clock margin that a client of the nodes has on record, ms; see `clockStepMs`. */
  marginMs(): number;
  /**
   * The longest ttl that a quorum of nodes has on record, ms; undefined before a quorum was seen, and where the
   * records are raised to what is needed.
   */
  recordedTtlMs(): number | undefined;
  /**
   * Allows keys with this ttl, in place of `maxTtlMs` if that is less. Resolves when all nodes that can be asked have
   * it on record; the others do not vote on such keys before they have.
   */
  allowTtl(ttlMs: number): Promise<void>;
  /** Waits for operations in flight, at each node no longer than `drainMs`, and closes. */
  close(drainMs: number): Promise<void>;
}

/**
 * Wires channels and coordinator, and connects to each node in the background. The only place that does: production
 * and the simulator differ only in the arguments given here.
 */
export function openQuorum(
  nodes: readonly QuorumNode[],
  { clock, entropy }: Runtime,
  settings: QuorumSettings,
  observer: QuorumObserver,
): Quorum {
  const { nodeTimeoutMs, maxTtlMs, clockStepMs, driftFactor, quarantine, allowEviction } = settings;
  const nodeCount = nodes.length;
  const { isLooking = false, raisesTtl, firstTtlMs, usualTtlMs } = settings;
  const deployment = new Deployment(
    {
      nodeCount,
      names: nodes.map(({ transport }) => transport.name),
      keyPrefix: settings.keyPrefix,
      isLooking,
      ...{ maxTtlMs, raisesTtl, firstTtlMs, usualTtlMs },
      clockStepMs,
      driftFactor,
      isQuarantineOn: quarantine,
      isBootstrapOn: settings.bootstrap,
      windowMs: bootstrapWindowMs(nodeTimeoutMs, maxTtlMs),
      warn: (warning) => observer.onNodeWarning(warning),
      onCorrection: (byUs) => context.waitQueues.move(byUs),
    },
    clock,
  );
  const channelSettings = {
    nodeCount,
    isLooking,
    raisedTtlMs: raisesTtl ? maxTtlMs : 0,
    driftFactor,
    isEvictionAllowed: allowEviction,
    isIncarnationCompared: quarantine,
    handshakeTimeoutMs: handshakeTimeoutMs(nodeTimeoutMs),
    suspectAfterMs: nodeTimeoutMs,
    giveUpAfterMs: giveUpAfterMs(nodeTimeoutMs),
  };
  const channels = nodes.map((node, index) => {
    const { transport, isDurable, isRunIdOptional = false, areScriptsAtomic = false } = node;
    const own = { ...channelSettings, isDurable, isRunIdOptional, areScriptsAtomic };
    const onState = (state: ChannelState, detail: string): void =>
      observer.onNodeState(channel, state, detail);
    const channel = new NodeChannel(index, transport, own, deployment, clock, entropy, onState);
    return channel;
  });
  const transports = nodes.map(({ transport }) => transport);
  const inbox = new Inbox(transports, clock, entropy, {
    onTurn: (index, turn) => context.waitQueues.onTurn(index, reservedBy(turn), turn.turnMs),
    onGrant: (index, grant) => context.waitQueues.onGrant(index, grantedKeys(grant.lockKey), grant),
    onLoss: (beginning) => context.lossNews.onLoss(beginning),
    onHeard: () => context.waitQueues.onHeard(),
    mayPublish: (index) => channels[index]?.mayPublish !== false,
    onUnable: (index, why) => {
      const message = `it notifies no waiters, which poll unless a quorum of the others does: ${why}`;
      observer.onNodeWarning({ kind: "messages", index, message });
    },
  });
  const ports = channels.map((channel, index) => observer.wrapNode?.(channel, index) ?? channel);
  const schedule = new Schedule(clock);
  const notified = settings.hasInbox ? inbox : undefined;
  const context: Context = {
    nodes: ports,
    waitQueues: new WaitQueues(
      ports,
      clock,
      () => deployment.offsets.orderUs(),
      schedule,
      notified,
      observer,
    ),
    clock,
    entropy,
    schedule,
    renewals: renewalsOn(clock),
    admission: new Admission(clock, settings.admission),
    proposals: new Proposals(clock),
    keepers: new Keepers(),
    lossNews: new LossNews(clock, notified),
    listen:
      notified &&
      ((lockKey, onStanding) => {
        const name = new WatchedName(transports, lockKey, { clock, entropy }, onStanding);
        name.open();
        return name;
      }),
    observer,
  };
  for (const channel of channels) channel.start();
  return {
    channels,
    context,
    listDifference: () => deployment.listDifference,
    marginMs: () => deployment.quarantine.marginMs,
    recordedTtlMs: () => deployment.recordedTtlMs,
    allowTtl: async (ttlMs) => {
      await Promise.all(channels.map((channel) => channel.allowTtl(ttlMs)));
    },
    close: async (drainMs) => {
      // Rollbacks, and releases still in flight to nodes beyond the quorum.
      await Promise.all(channels.map((channel) => channel.drain(drainMs)));
      deployment.close();
      inbox.close();
      for (const channel of channels) channel.close();
      schedule.close();
    },
  };
}
