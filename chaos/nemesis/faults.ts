import { isDurable, minorityOf } from "../settings.js";

/** Faults of nodes and of the links to them. They count toward the minority. */
export const NODE_FAULTS = [
  "kill",
  "empty",
  "flush",
  "freeze",
  "blackhole",
  "hold",
  "late",
  "refuse",
  "reset",
  "lostReply",
  "mixup",
  "delay",
  "slow",
] as const;

/** Two overlapping faults: two quorums overlap only in the node that lost its data. */
export const RELAYS = ["relay"] as const;

/** Faults that need no budget: a node that is otherwise undisturbed still votes. */
export const QUIET_FAULTS = ["scriptFlush", "clockRate"] as const;

/**
 * Clocks of any number of nodes that gain time within the margin of the locks. The nodes continue to vote, so these
 * faults need no budget either.
 */
export const STEP_FAULTS = ["clockStep", "clockSlew"] as const;

/** Faults of client processes: of any of them, at any time. */
export const CLIENT_FAULTS = ["clientFreeze", "clientKill"] as const;

/**
 * Faults of the network between single clients and nodes that others still reach. They do not disturb the nodes, so
 * they need no budget: the model allows any client to be cut off from any nodes.
 */
export const CUT_FAULTS = ["partition", "split"] as const;

/** Faults that the model excludes. */
export const OUTSIDE_FAULTS = ["majorityEmpty", "clockJump", "stopAfterCheck"] as const;

export const MODEL_FAULTS = [
  ...NODE_FAULTS,
  ...RELAYS,
  ...QUIET_FAULTS,
  ...STEP_FAULTS,
  ...CLIENT_FAULTS,
  ...CUT_FAULTS,
] as const;

export const ALL_FAULTS = [...MODEL_FAULTS, ...OUTSIDE_FAULTS] as const;

/** `lag`: messages from nodes to one client arrive late; used only by its own schedule. */
export type FaultKind = (typeof ALL_FAULTS)[number] | "lag";

export type Direction = "both" | "toServer" | "toClient";

/** One fault of a plan. Instants are relative to the start of the campaign. */
export interface Fault {
  /** Position in the plan, from 0. */
  readonly id: number;
  readonly kind: FaultKind;
  readonly atMs: number;
  /** 0 for instantaneous faults. */
  readonly forMs: number;
  /**
   * Nodes that it hits, or that its client is cut off from; empty for faults of clients. In a relay, the last one
   * loses its data. For a split, see {@link cutsOf}.
   */
  readonly nodes: readonly number[];
  /** Seat of the client that it hits. */
  readonly client: number | undefined;
  /** Seat of the second client of a split. */
  readonly rival?: number;
  readonly direction: Direction;
  /** Delay, jump, count or rate, depending on the kind. */
  readonly amount: number;
}

/** A client that cannot reach some nodes. */
export interface Cut {
  readonly client: number;
  readonly nodes: readonly number[];
}

/**
 * Which clients are cut off from which nodes; none for other faults. The two clients of a split lose one end each of
 * the node list, so that they share the middle.
 */
export function cutsOf({ kind, nodes, client = 0, rival = 0 }: Fault): Cut[] {
  if (kind === "partition") return [{ client, nodes }];
  if (kind !== "split") return [];
  const count = minorityOf(nodes.length);
  return [
    { client, nodes: nodes.slice(0, count) },
    { client: rival, nodes: nodes.slice(nodes.length - count) },
  ];
}

/** Whether the node loses what it had in memory. */
export function forgetsOn({ kind, nodes }: Fault, node: number): boolean {
  if (kind === "kill") return !isDurable(node);
  if (kind === "relay") return node === nodes.at(-1);
  return kind === "empty" || kind === "flush" || kind === "majorityEmpty";
}

/** A short description for people. */
export function describeFault(fault: Fault): string {
  const { kind, nodes, client, direction, amount, forMs } = fault;
  const cuts = cutsOf(fault).map((cut) => `client ${cut.client} from node ${cut.nodes.join(", ")}`);
  const struck = client === undefined ? `node ${nodes.join(", ")}` : `client ${client}`;
  const whom = cuts.join(" and ") || struck;
  const way = direction === "both" ? "" : ` ${direction}`;
  const much = amount === 0 ? "" : ` (${amountText(kind, amount)})`;
  const time = forMs === 0 ? "" : ` for ${forMs} ms`;
  return `${kind}${way} ${cuts.length === 0 ? "on" : "of"} ${whom}${much}${time}`;
}

function amountText(kind: FaultKind, amount: number): string {
  if (kind === "clockRate" || kind === "clockSlew") return `rate ${amount}`;
  if (kind === "lostReply") return `${amount} replies`;
  if (kind === "slow") return `${amount} bytes a second`;
  return `${amount} ms`;
}
