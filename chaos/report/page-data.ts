import type { CampaignSettings } from "../settings.js";
import type { Figures } from "../verdict/figures.js";

/** The data of the page. Instants are ms since the start; long lists are arrays of columns. */
export interface PageData {
  readonly settings: CampaignSettings;
  readonly figures: Figures;
  readonly endMs: number;
  readonly names: readonly string[];
  readonly processes: readonly string[];
  /** [from, to, process, name, token, why, asked, ownerId] */
  readonly holds: readonly HoldRow[];
  readonly faults: readonly FaultSpan[];
  /** Nodes whose votes do not count: [node, from, to]. */
  readonly quarantines: readonly (readonly [number, number, number])[];
  /** [seat, from, to, what] */
  readonly stops: readonly (readonly [number, number, number, "stopped" | "stalled"])[];
  /** [seat, at, what] */
  readonly marks: readonly (readonly [number, number, string])[];
  /** Acquires of names without contention: [at, took, granted]. */
  readonly probes: readonly (readonly [number, number, 0 | 1])[];
  /** One entry per second: [granted, held by others, failed]. */
  readonly seconds: readonly (readonly [number, number, number])[];
  readonly violations: readonly ShownViolation[];
  readonly lateWriteCount: number;
}

export type HoldRow = readonly [
  from: number,
  to: number,
  process: number,
  name: number,
  token: number,
  why: string,
  asked: number,
  owner: string,
];

export interface FaultSpan {
  readonly kind: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly nodes: readonly number[];
  /** Null for faults of nodes. With nodes, the client is cut off from those. */
  readonly client: number | null;
}

export interface ShownViolation {
  readonly id: string;
  readonly at: number;
  readonly message: string;
  readonly isExpected: boolean;
  /** What happened around the violation: [at, process, what]. */
  readonly around: readonly (readonly [number, string, string])[];
}
