import type { Sample } from "./sample.js";
import type { RunOptions } from "./workloads/uncontended.js";

/** What a client process is told to do. */
export interface Job {
  readonly subjectName: string;
  readonly urls: readonly string[];
  readonly options: RunOptions;
}

/** What it answers. */
export type Answer = { readonly sample: Sample } | { readonly error: string };
