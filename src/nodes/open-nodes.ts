import { showWithoutLogin } from "../runtime/validate.js";
import type { DeploymentWarning } from "../channel/deployment.js";
import { isLooking } from "./looking.js";
import type { NodeChannel } from "../channel/node-channel.js";
import type { ChannelState } from "../channel/channel-state.js";
import { MAX_NODE_COUNT } from "../protocol/quorum.js";
import type { QuorateWarning } from "../api/events.js";
import { fenceSlackUs } from "../protocol/fencing.js";
import {
  hasTransport,
  OWN_TRANSPORT,
  OWN_WORLD,
  type NodeConfig,
  type OwnWorld,
} from "./simulated-nodes.js";
import { MisconfiguredWarnings } from "./misconfigured-warnings.js";
import { asOne, type NodesObserver } from "./nodes-observer.js";
import { openQuorum, type Quorum, type Runtime } from "./open-quorum.js";
import { BatchWire } from "../script/batch-encoder.js";
import { checkDatabases, configureNode, type ConfiguredNode } from "../redis/node-config.js";
import type { ManagerSettings } from "../options/resolve.js";
import { detached, systemClock, systemEntropy } from "../runtime/system.js";

const WARNING_CODES: Readonly<Record<DeploymentWarning["kind"], QuorateWarning["code"]>> = {
  nodeList: "QUORATE_NODE_LIST_MISMATCH",
  clock: "QUORATE_CLOCK_OFFSET",
  outOfStep: "QUORATE_REPLIES_OUT_OF_STEP",
  fence: "QUORATE_IMPLAUSIBLE_FENCE",
  maxTtl: "QUORATE_MAX_TTL",
  messages: "QUORATE_NO_MESSAGES",
};

/** A quorum on Redis servers, with its own connections. */
export interface OpenNodes extends Quorum {
  /** The nodes as shown to people, in configured order. */
  readonly names: readonly string[];
  readonly hasCluster: boolean;
}

/**
 * Opens a connection to each node, in the background.
 *
 * @throws TypeError or RangeError for bad nodes, naming the node and the value.
 */
export function openNodes(
  nodes: readonly NodeConfig[],
  settings: ManagerSettings,
  ...observers: readonly NodesObserver[]
): OpenNodes {
  checkNodeList(nodes);
  const { maxTtlMs, driftFactor, clockStepMs, quarantine, allowEviction } = settings;
  const { nodeTimeoutMs } = settings.lease;
  const constants = { fenceSlackUs: fenceSlackUs(maxTtlMs) };
  const wire = new BatchWire(constants);
  const { clock, entropy, observer, admission } = worldOf(nodes);
  const warn = (message: string): void => heard.onWarning("QUORATE_CREDENTIALS", message);
  const configured = nodes.map((node, index): ConfiguredNode => {
    if (!hasTransport(node)) {
      return configureNode(node, index, nodeTimeoutMs, wire, { clock, entropy, warn });
    }
    const transport = node[OWN_TRANSPORT](constants);
    const { isDurable } = node;
    const flags = { isDurable, isRunIdOptional: false, areScriptsAtomic: false };
    return { transport, ...flags, isCluster: false };
  });
  checkDatabases(configured);
  const names = configured.map(({ transport }) => transport.name);
  const hasCluster = configured.some(({ isCluster }) => isCluster);
  const misconfigured = new MisconfiguredWarnings();
  const warnings = { onNodeState: warnOfMisconfigured };
  const heard = asOne([warnings, ...observers, ...(observer === undefined ? [] : [observer])]);
  function warnOfMisconfigured(node: NodeChannel, state: ChannelState, detail: string): void {
    const message = misconfigured.onState(node, state, detail);
    if (message !== undefined) heard.onWarning("QUORATE_MISCONFIGURED_NODE", message);
  }
  const open = (): Quorum =>
    openQuorum(
      configured,
      { clock, entropy },
      {
        ...settings.longestTtl,
        ...{ nodeTimeoutMs, maxTtlMs, clockStepMs, driftFactor, allowEviction },
        quarantine: quarantine !== "off",
        bootstrap: quarantine !== "always",
        ...{ keyPrefix: settings.keyPrefix, isLooking: isLooking(settings.given) },
        hasInbox: configured.every(({ transport }) => transport.subscribe !== undefined),
        admission,
      },
      {
        ...heard,
        onNodeWarning: ({ kind, index, message }) =>
          heard.onWarning(WARNING_CODES[kind], `${names[index]}: ${message}`),
      },
    );
  // Connections last, and serve whoever comes.
  const quorum = detached(open);
  observer?.onOpen(quorum);
  if (nodes.length % 2 === 0) {
    const message = `${nodes.length} nodes tolerate no more failures than ${nodes.length - 1}, and split more often`;
    heard.onWarning("QUORATE_EVEN_NODE_COUNT", message);
  }
  return { ...quorum, names, hasCluster };
}

/** @throws TypeError if it is not an array, RangeError for too few or too many. */
export function checkNodeList(nodes: readonly unknown[]): void {
  if (!Array.isArray(nodes)) {
    throw new TypeError(
      `\`nodes\` must be an array, such as ["redis://host:6379"], got ${showWithoutLogin(nodes)}`,
    );
  }
  if (nodes.length < 1 || nodes.length > MAX_NODE_COUNT) {
    throw new RangeError(`\`nodes\` must name 1 to ${MAX_NODE_COUNT} nodes, got ${nodes.length}`);
  }
}

/** The environment of the nodes: that of this process, unless they bring another. */
export function worldOf(nodes: readonly unknown[]): Runtime & Partial<OwnWorld> {
  const own = nodes.find(hasTransport)?.[OWN_WORLD];
  return own ?? { clock: systemClock(), entropy: systemEntropy() };
}
