import { isDurable } from "../settings.js";

/** Faults of nodes and of the links to them. They count against the minority. */
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
  "delay",
  "slow",
] as const;

/** Two faults, one handing over to the other: two quorums meet on the one node that forgot. */
export const RELAYS = ["relay"] as const;

/** Faults that need no budget: a node that is not disturbed by anything else still votes. */
export const QUIET_FAULTS = ["scriptFlush", "clockRate"] as const;

/** Faults of client processes: any of them, at any time. */
export const CLIENT_FAULTS = ["clientFreeze", "clientKill"] as const;

/** What the model excludes. */
export const OUTSIDE_FAULTS = ["majorityEmpty", "clockJump", "stopAfterCheck"] as const;

export const MODEL_FAULTS = [...NODE_FAULTS, ...RELAYS, ...QUIET_FAULTS, ...CLIENT_FAULTS] as const;

export const ALL_FAULTS = [...MODEL_FAULTS, ...OUTSIDE_FAULTS] as const;

export type FaultKind = (typeof ALL_FAULTS)[number];

export type Direction = "both" | "toServer" | "toClient";

/** One fault of a plan. Instants are counted from the start of the campaign. */
export interface Fault {
  /** Position in the plan, from 0. */
  readonly id: number;
  readonly kind: FaultKind;
  readonly atMs: number;
  /** 0 for what happens at an instant. */
  readonly forMs: number;
  /** Nodes that it strikes; empty for faults of clients. Of a relay, the last one forgets. */
  readonly nodes: readonly number[];
  /** Seat of the client that it strikes. */
  readonly client: number | undefined;
  readonly direction: Direction;
  /** Delay, jump, count or rate: what it is depends on the kind. */
  readonly amount: number;
}

/** Whether the node will not have what it had in memory. */
export function forgetsOn({ kind, nodes }: Fault, node: number): boolean {
  if (kind === "kill") return !isDurable(node);
  if (kind === "relay") return node === nodes.at(-1);
  return kind === "empty" || kind === "flush" || kind === "majorityEmpty";
}

/** In a few words, for people. */
export function describeFault({ kind, nodes, client, direction, amount, forMs }: Fault): string {
  const whom = client === undefined ? `node ${nodes.join(", ")}` : `client ${client}`;
  const way = direction === "both" ? "" : ` ${direction}`;
  const much = amount === 0 ? "" : ` (${amountText(kind, amount)})`;
  const time = forMs === 0 ? "" : ` for ${forMs} ms`;
  return `${kind}${way} on ${whom}${much}${time}`;
}

function amountText(kind: FaultKind, amount: number): string {
  if (kind === "clockRate") return `rate ${amount}`;
  if (kind === "lostReply") return `${amount} replies`;
  if (kind === "slow") return `${amount} bytes a second`;
  return `${amount} ms`;
}
