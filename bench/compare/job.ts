import type { ClientOptions } from "./client-options.js";
import type { Observation } from "./scenarios/scenario.js";
import type { SubjectId } from "./subjects/index.js";

/** What a run's process is sent, and what it answers. */
export interface Job {
  readonly scenarioId: string;
  readonly subjectId: SubjectId;
  /** The settings differ from the row's in this. */
  readonly variant: Variant;
  readonly ttlMs: number;
  /** Options of the peers' clients. */
  readonly clientOptions: ClientOptions;
}

/** `usual`: as the row says; `default ttl`: the subject's own; `command timeout`: of its clients. */
export type Variant = "usual" | "default ttl" | "command timeout";

export type Answer = { readonly observation: Observation } | { readonly error: string };
