import type { SimProcess } from "../sim-process.js";
import type { ForeignSession, ForeignSettings } from "./settings.js";
import type { Wire } from "./wire.js";

/** A lock of foreign code, from its first attempt to its release. */
export interface ForeignLock {
  /** The name of its owner in the history; may be another one at each attempt. */
  readonly ownerId: string;
  /** One attempt on all nodes; until when the lock is held, by the wall clock of its process, ms. */
  tryLock(): Promise<number | undefined>;
  /** Renews the lock; same result; undefined if it was refused. */
  renew?(): Promise<number | undefined>;
  /** The thread that holds it enters again, then leaves again. */
  enterAgain?(): Promise<void>;
  unlock(): Promise<void>;
  /** Calls `wake` when the lock may be free. Returns how to stop listening. */
  listen?(wake: () => void): () => void;
}

/** The environment of a foreign lock. */
export interface ForeignSite {
  readonly process: SimProcess;
  readonly settings: ForeignSettings;
  readonly wires: readonly Wire[];
  /** Unique in the run. */
  readonly id: string;
  readonly key: string;
  readonly session: ForeignSession;
  /** Subscribes to a channel on all nodes. Returns how to unsubscribe. */
  subscribe(channel: string, onMessage: (message: string) => void): () => void;
}

/** The process's wall clock in whole ms, as its code reads it. */
export function wallMs({ process }: ForeignSite): number {
  return Math.floor(process.clock.wallUs() / 1_000);
}

/** The nodes' answers, in node order; undefined for a node that did not answer. */
export function askAll<Answer>(
  { wires }: ForeignSite,
  ask: (wire: Wire) => Promise<Answer>,
): Promise<(Answer | undefined)[]> {
  return Promise.all(wires.map((wire) => ask(wire).catch(() => undefined)));
}

export function isQuorum({ wires }: ForeignSite, count: number): boolean {
  return count > wires.length / 2;
}
