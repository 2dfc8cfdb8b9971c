import { show } from "./checks.js";
import { Assembly } from "./channel/assembly.js";
import { Inbox } from "./channel/inbox.js";
import { NodeChannel, type ChannelState } from "./channel/node-channel.js";
import type { Context, Observer } from "./coordinator/context.js";
import { Admission } from "./coordinator/admission.js";
import { Lines } from "./coordinator/lines.js";
import { MAX_NODE_COUNT } from "./coordinator/owed.js";
import { Renewals } from "./coordinator/renewals.js";
import { Schedule } from "./coordinator/schedule.js";
import type { QuorateWarning } from "./events.js";
import { fenceSlackUs } from "./protocol/fencing.js";
import { BatchWire } from "./redis/batch-wire.js";
import { configureNode, type NodeConfig } from "./redis/node-config.js";
import type { ManagerSettings } from "./resolve-options.js";
import { systemClock } from "./runtime/system-clock.js";
import { systemEntropy } from "./runtime/system-entropy.js";

/** What happens to the nodes and to the locks on them. Called from within: must not throw. */
export interface NodesListener extends Observer {
  onNodeState(channel: NodeChannel, state: ChannelState, detail: string): void;
  onWarning(code: QuorateWarning["code"], message: string): void;
  /** The callback as it runs in no async context of ours. */
  detached?(callback: () => void): () => void;
}

/** A quorum's nodes with connections of our own, and what the coordinator needs to work on them. */
export interface OpenNodes {
  readonly channels: readonly NodeChannel[];
  readonly context: Context;
  /** Nodes for people, in configured order. */
  readonly names: readonly string[];
  readonly hasCluster: boolean;
  /**
   * Lets keys live for so long, in place of `maxTtlMs` if that is less. Resolves when all nodes that can be asked have it
   * on record; the others do not vote on such keys before they have.
   */
  allowTtl(ttlMs: number): Promise<void>;
  /** Waits for what is still on its way, at each node no longer than `drainMs`, and closes. */
  close(drainMs: number): Promise<void>;
}

/**
 * Opens a connection to each node, in the background.
 *
 * @throws TypeError or RangeError for bad nodes, naming the node and the value.
 */
export function openNodes(
  nodes: readonly NodeConfig[],
  settings: ManagerSettings,
  listener: NodesListener,
): OpenNodes {
  if (!Array.isArray(nodes)) throw new TypeError(`\`nodes\` must be an array, got ${show(nodes)}`);
  if (nodes.length < 1 || nodes.length > MAX_NODE_COUNT) {
    throw new RangeError(`\`nodes\` must name 1 to ${MAX_NODE_COUNT} nodes, got ${nodes.length}`);
  }
  const { maxTtlMs, driftFactor } = settings;
  const nodeTimeoutMs = settings.lease.nodeTimeoutMs;
  const helloTimeoutMs = Math.max(1_000, 2 * nodeTimeoutMs);
  const constants = {
    fenceSlackUs: fenceSlackUs(maxTtlMs),
    fenceRetentionMs: settings.fenceRetentionMs,
  };
  const wire = new BatchWire(constants);
  const configured = nodes.map((node, index) => configureNode(node, index, helloTimeoutMs, wire));
  const transports = configured.map(({ transport }) => transport);
  const names = transports.map(({ name }) => name);
  const hasCluster = configured.some(({ isCluster }) => isCluster);
  const clock = systemClock(listener.detached?.bind(listener));
  const entropy = systemEntropy();
  const assembly = new Assembly(
    {
      nodeCount: nodes.length,
      maxTtlMs,
      driftFactor,
      isQuarantineOn: settings.quarantine,
      isBootstrapOn: settings.bootstrap === "auto",
      windowMs: Math.min(Math.max(2_000, 4 * nodeTimeoutMs), maxTtlMs / 2),
      warn: ({ index, message }) =>
        listener.onWarning("QUORATE_NODE_COUNT_MISMATCH", `${names[index]}: ${message}`),
    },
    clock,
  );
  const channels: readonly NodeChannel[] = configured.map(
    ({ transport, isDurable }, index) =>
      new NodeChannel(
        index,
        transport,
        {
          nodeCount: nodes.length,
          maxTtlMs,
          isDurable,
          isEvictionAllowed: settings.allowEviction,
          isIncarnationCompared: settings.quarantine,
          helloTimeoutMs,
          suspectAfterMs: nodeTimeoutMs,
          giveUpAfterMs: Math.max(2_000, 5 * nodeTimeoutMs),
        },
        assembly,
        clock,
        entropy,
        (state, detail) => {
          const channel = channels[index];
          if (channel === undefined) return;
          if (state === "misconfigured") {
            const message = `${channel.name} does not vote: ${detail}`;
            listener.onWarning("QUORATE_MISCONFIGURED_NODE", message);
          }
          listener.onNodeState(channel, state, detail);
        },
      ),
  );
  const inbox = new Inbox(transports, clock, entropy, {
    onTurn: (...turn) => context.lines.onTurn(...turn),
    onHeard: () => context.lines.onHeard(),
  });
  const context: Context = {
    nodes: channels,
    // A name that waits at a Cluster would have to be told through all of its members.
    lines: new Lines(channels, clock, hasCluster ? undefined : inbox),
    clock,
    entropy,
    schedule: new Schedule(clock),
    renewals: new Renewals(clock),
    admission: new Admission(clock),
    lastProposal: 0,
    observer: listener,
  };
  if (nodes.length % 2 === 0) {
    const message = `${nodes.length} nodes tolerate no more failures than ${nodes.length - 1}, and split more often`;
    listener.onWarning("QUORATE_EVEN_NODE_COUNT", message);
  }
  for (const channel of channels) channel.start();
  return {
    channels,
    context,
    names,
    hasCluster,
    allowTtl: async (ttlMs) => {
      await Promise.all(channels.map((channel) => channel.allowTtl(ttlMs)));
    },
    close: async (drainMs) => {
      // Rollbacks, and what a release still has on the way to nodes beyond its quorum.
      await Promise.all(channels.map((channel) => channel.drain(drainMs)));
      assembly.close();
      inbox.close();
      for (const channel of channels) channel.close();
    },
  };
}
