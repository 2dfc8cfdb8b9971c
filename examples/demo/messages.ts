import type { NodeState } from "../../src/index.js";

export type ServiceName = "A" | "B";

/**
 * - `rest`: want nothing
 * - `contend`: acquire, work for a moment, release, over and over
 * - `hold`: acquire and keep the lock until something else is asked for, or it is lost
 */
export type Task = "rest" | "contend" | "hold";

/** From the demo to a service. */
export type Order =
  | { readonly kind: "task"; readonly task: Task }
  /** Write with the last token, as a process does that slept through the loss of its lock. */
  | { readonly kind: "writeLate" };

export type ServiceState = "starting" | "idle" | "waiting" | "holding" | "lost";

/** One node as a service sees it. */
export interface NodeSeen {
  readonly state: NodeState;
  readonly quarantineLeftMs: number;
}

/** A service, many times a second. */
export interface Status {
  readonly kind: "status";
  /** When it was read, see `nowMs`. */
  readonly atMs: number;
  readonly state: ServiceState;
  /** Of the lock it holds or held last. */
  readonly token: number | undefined;
  /** When its validity ends, if it holds the lock; see `nowMs`. */
  readonly validUntilMs: number | undefined;
  readonly nodes: readonly NodeSeen[];
}

/** From a service to the demo. Instants are read in the service, see `nowMs`. */
export type Report =
  | Status
  | { readonly kind: "granted"; readonly token: number; readonly atMs: number }
  | { readonly kind: "released"; readonly atMs: number }
  /** The lock's signal was aborted. */
  | { readonly kind: "lost"; readonly reason: string; readonly atMs: number }
  | { readonly kind: "write"; readonly token: number };
