import type { CampaignSettings } from "../settings.js";
import type { Fault } from "../nemesis/faults.js";

/**
 * Lines of a history file, one JSON object each. Instants are microseconds since the start of the campaign on the
 * host's monotonic clock, each read by the process that the line is about.
 */
interface At {
  readonly atUs: number;
}

interface OfProcess extends At {
  /** `c3.2`: the third process on seat 3 (both count from 0). */
  readonly process: string;
}

interface OfLock extends OfProcess {
  readonly name: string;
  readonly ownerId: string;
}

export interface RunRecord extends At {
  readonly kind: "run";
  readonly settings: CampaignSettings;
  readonly plan: readonly Fault[];
}

/** A call of the public API. */
export interface CallRecord extends OfProcess {
  readonly kind: "call";
  readonly call: number;
  readonly what: "acquire" | "extend" | "release";
  readonly name: string;
  readonly ownerId?: string;
  /** Time within which it promises to settle. */
  readonly withinMs: number;
  readonly steadyMs: number;
}

export interface SettleRecord extends OfProcess {
  readonly kind: "settle";
  readonly call: number;
  /** `granted`, `none`, `aborted`, a release's result, or the code of an error. */
  readonly result: string;
  readonly steadyMs: number;
}

export interface GrantRecord extends OfLock {
  readonly kind: "grant";
  readonly call: number;
  readonly token: number;
  readonly ttlMs: number;
  /** Validity left, read just after `atUs`. */
  readonly leftMs: number;
}

/** The validity of a held lock was found to end later than known before. */
export interface SampleRecord extends OfLock {
  readonly kind: "sample";
  readonly leftMs: number;
}

/** `isHeld` returned true. */
export interface CheckRecord extends OfLock {
  readonly kind: "check";
  readonly leftMs: number;
}

/** `signal` aborted. */
export interface LostRecord extends OfLock {
  readonly kind: "lost";
  readonly reason: string;
}

/** The process found that its event loop did not run from `atUs` to `untilUs`. */
export interface StallRecord extends OfProcess {
  readonly kind: "stall";
  readonly untilUs: number;
}

export interface ProcessRecord extends OfProcess {
  readonly kind: "process";
  readonly what: "start" | "pause" | "resume" | "crash" | "closing" | "exited";
}

export interface FaultRecord extends At {
  readonly kind: "fault";
  readonly id: number;
  readonly what: "begin" | "end";
}

/** One access to a store, recorded where the store answered it. */
export interface StoreRecord extends OfLock {
  readonly kind: "store";
  readonly store: "fenced" | "unfenced";
  readonly token: number;
  readonly what: "read" | "write" | "reject";
  readonly base: number;
}

/** A lock key that was still on a node at the end, and its owner. */
export interface LeftRecord extends OfLock {
  readonly kind: "left";
  readonly node: number;
  readonly ttlMs: number;
}

export interface PhaseRecord extends At {
  readonly kind: "phase";
  readonly what: "heal" | "progress" | "calm" | "clean";
}

/** Records that client processes write; the parent writes the others. */
export type ClientRecord =
  | (CallRecord | SettleRecord | GrantRecord | SampleRecord | CheckRecord | LostRecord)
  | (StallRecord | ProcessRecord);

export type ChaosRecord =
  | RunRecord
  | ClientRecord
  | FaultRecord
  | StoreRecord
  | LeftRecord
  | PhaseRecord;
