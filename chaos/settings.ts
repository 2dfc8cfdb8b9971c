import type { FaultKind } from "./nemesis/faults.js";

/** `model`: every promise must hold. `outside`: only those that need no clocks must. */
export type Profile = "model" | "outside";

/** A bug put in on purpose: a campaign that does not find it is worth nothing. */
export type Plant =
  | "no-drift"
  | "no-margin"
  | "no-quarantine"
  | "validity-from-reply"
  | "release-to-reachable";

/**
 * - `random`: faults drawn from the seed
 * - `fast-clocks`: the clocks of all nodes fast, within the drift bound, and leases held to their end
 * - `clock-steps`: the clocks of all nodes stepped forward within the margin, and back, again and again
 * - `relays`: a quorum of votes handed on over a node that forgot
 * - `slow-replies`: every second client is answered only just in time, and leases are held to their end
 * - `outages`: a minority cannot be reached for a while, again and again; leases that outlive the campaign
 */
export const SCHEDULES = [
  ...(["random", "fast-clocks", "clock-steps", "relays", "slow-replies", "outages"] as const),
] as const;

export type ScheduleName = (typeof SCHEDULES)[number];

/** What a campaign is: with the same settings, the same faults at the same instants. */
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
  /** What the clock of a node may gain between two renewals. 0 where the margin would hide what a schedule looks for. */
  readonly clockStepMs: number;
}

/** The clocks of client and node may differ by so much; the nemesis stays within a half of it. */
export const DRIFT_FACTOR = 0.01;

/** Largest share by which the clock of a node is fast or slow inside the model. */
export const LARGEST_RATE_ERROR = DRIFT_FACTOR / 2;

/** Every second node keeps its data on disk, and is declared durable. */
export function isDurable(node: number): boolean {
  return node % 2 === 1;
}

/**
 * Seats whose clients reach the nodes through links of their own, and so can be cut off alone: every
 * second one. The others see the nodes' links at first hand.
 */
export function linkedSeats(clientCount: number): number[] {
  return Array.from({ length: Math.ceil(clientCount / 2) }, (_, at) => 2 * at);
}

/** How many nodes may be affected at once while a quorum of the others still decides. */
export function minorityOf(nodeCount: number): number {
  return Math.floor((nodeCount - 1) / 2);
}
