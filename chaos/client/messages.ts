import type { ScheduleName } from "../settings.js";

/** The settings that a client process gets at its start. */
export interface Job {
  readonly kind: "job";
  readonly process: string;
  readonly seed: number;
  /** Reading of the host's monotonic clock at the start of the campaign. */
  readonly startNs: string;
  readonly journal: string;
  readonly nodes: readonly { readonly url: string; readonly durable: boolean }[];
  /** Names that all clients contend for. */
  readonly names: readonly string[];
  readonly schedule: ScheduleName;
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  readonly nodeTimeoutMs: number;
  readonly driftFactor: number;
  readonly clockStepMs: number;
  readonly quarantine: boolean;
}

/** One access to the stores. A read and a later write are two messages, so anything can happen in between. */
export interface StoreRequest {
  readonly kind: "store";
  readonly id: number;
  readonly store: "fenced" | "unfenced";
  readonly what: "read" | "write";
  readonly name: string;
  readonly ownerId: string;
  readonly token: number;
  /** Writes only: the version that it was based on. */
  readonly base: number;
}

export interface StoreReply {
  readonly kind: "store";
  readonly id: number;
  /** The current version, or undefined if the store rejected the request. */
  readonly version: number | undefined;
}

/** The actions of a client since its last message, for the live view. */
export interface Counts {
  readonly kind: "counts";
  readonly granted: number;
  readonly refused: number;
  readonly failed: number;
  readonly lost: number;
}

export type ToClient =
  | Job
  | StoreReply
  | { readonly kind: "stopAfterCheck" }
  | { readonly kind: "finish" };

/** `stopping`: it is about to stop itself, between its check and its write. */
export type FromClient = StoreRequest | Counts | { readonly kind: "stopping" };
