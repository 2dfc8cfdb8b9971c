import {
  OWN_TRANSPORT,
  OWN_WORLD,
  type NodeWithTransport,
  type OwnWorld,
  type WorldObserver,
} from "../src/nodes/simulated-nodes.js";
import type { Link } from "./link.js";
import type { LockSettings } from "./scenario.js";
import type { SimNode } from "./sim-node.js";
import type { InboxObserver } from "./sim-subscription.js";
import type { SimProcess } from "./sim-process.js";
import { SimTransport } from "./sim-transport.js";

/** Where a lock manager runs: its process, and the link from there to each node. */
export interface Place {
  readonly process: SimProcess;
  readonly nodes: readonly SimNode[];
  readonly links: readonly Link[];
  readonly isDurable: readonly boolean[];
  /** Sees the messages of a node to the process. */
  readonly inboxOn: (node: SimNode) => InboxObserver;
}

/** An object that dies with its process. */
export interface Crashable {
  crash(): void;
}

/**
 * The nodes as one process's lock manager gets them: with connections over simulated links, and with the clock and
 * randomness of that process instead of the machine's.
 *
 * @param connections is filled with what the manager opens
 */
export function nodesOf(
  { process, nodes, links, isDurable, inboxOn }: Place,
  { window, isDeaf, fenceBuckets }: LockSettings,
  observer: WorldObserver,
  connections: Crashable[],
): NodeWithTransport[] {
  const world: OwnWorld = {
    clock: process.clock,
    entropy: process.entropy,
    observer,
    warn: () => {},
    admission: window === undefined ? undefined : { min: window, start: window, max: window + 1 },
  };
  return nodes.map((node, index) => ({
    [OWN_WORLD]: world,
    [OWN_TRANSPORT]: (constants) => {
      const end = { link: links[index] as Link, process };
      const transport = new SimTransport(node, end, { ...constants, fenceBuckets }, inboxOn(node));
      connections.push(transport);
      return isDeaf === true ? Object.assign(transport, { subscribe: undefined }) : transport;
    },
    isDurable: isDurable[index] ?? false,
  }));
}
