import type { FaultKind } from "./nemesis/faults.js";

/** `model`: every promise must hold. `outside`: only the promises that do not depend on clocks must. */
export type Profile = "model" | "outside";

/** A deliberate bug: a campaign that does not find it is worthless. */
export type Plant =
  | "no-drift"
  | "no-margin"
  | "no-quarantine"
  | "validity-from-reply"
  | "release-to-reachable";

/**
 * - `random`: faults drawn from the seed
 * - `fast-clocks`: the clocks of all nodes run fast, within the drift bound, and leases are held to their end
 * - `clock-steps`: the clocks of all nodes are repeatedly stepped forward within the margin, and back
 * - `relays`: a quorum of votes is handed over through a node that lost its data
 * - `slow-replies`: every second client is answered only just in time, and leases are held to their end
 * - `outages`: a minority is repeatedly unreachable for a while; leases outlive the campaign
 */
export const SCHEDULES = [
  ...(["random", "fast-clocks", "clock-steps", "relays", "slow-replies", "outages"] as const),
] as const;

export type ScheduleName = (typeof SCHEDULES)[number];

/** A campaign: the same settings give the same faults at the same instants. */
export interface CampaignSettings {
  readonly seed: number;
  readonly durationMs: number;
  readonly clientCount: number;
  readonly nodeCount: number;
  /** Names that all clients contend for. */
  readonly nameCount: number;
  readonly profile: Profile;
  readonly schedule: ScheduleName;
  readonly plant: Plant | undefined;
  /** Kinds that the random schedule draws from. */
  readonly faults: readonly FaultKind[];
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  readonly nodeTimeoutMs: number;
  readonly driftFactor: number;
  /** How much a node's clock may gain between two renewals; 0 where the margin would hide what is looked for. */
  readonly clockStepMs: number;
}

/** How much the clocks of clients and nodes may differ; the nemesis stays within half of it. */
export const DRIFT_FACTOR = 0.01;

/** The largest rate error of a node's clock inside the model, fast or slow. */
export const LARGEST_RATE_ERROR = DRIFT_FACTOR / 2;

/** Every second node keeps its data on disk, and is declared durable. */
export function isDurable(node: number): boolean {
  return node % 2 === 1;
}

/**
 * Seats whose clients reach the nodes through their own links, and so can be cut off separately: every second one.
 * The others use the nodes' links directly.
 */
export function linkedSeats(clientCount: number): number[] {
  return Array.from({ length: Math.ceil(clientCount / 2) }, (_, at) => 2 * at);
}

/** How many nodes may be affected at once while a quorum of the others still decides. */
export function minorityOf(nodeCount: number): number {
  return Math.floor((nodeCount - 1) / 2);
}
