import type { ClientOptions } from "./client-options.js";
import type { Observation } from "./scenarios/scenario.js";
import type { SubjectId } from "./subjects/index.js";

/** What is sent to the process of a run; its answer is `Answer`. */
export interface Job {
  readonly scenarioId: string;
  readonly subjectId: SubjectId;
  /** How the settings differ from the row's. */
  readonly variant: Variant;
  readonly ttlMs: number;
  /** Options of the peers' clients. */
  readonly clientOptions: ClientOptions;
}

/** `usual`: as in the row; `default ttl`: the subject's own; `command timeout`: on its clients. */
export type Variant = "usual" | "default ttl" | "command timeout";

export type Answer = { readonly observation: Observation } | { readonly error: string };
