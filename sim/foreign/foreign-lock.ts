import type { SimProcess } from "../sim-process.js";
import type { ForeignSession, ForeignSettings } from "./settings.js";
import type { Wire } from "./wire.js";

/** One lock of foreign code, from its first try to its release. */
export interface ForeignLock {
  /** As whom it is known to the history. */
  readonly ownerId: string;
  /** One try on all nodes; until when it has it then, by the wall clock of its process, ms. */
  tryLock(): Promise<number | undefined>;
  /** The same of a renewal; undefined if it was refused. */
  renew?(): Promise<number | undefined>;
  /** The thread that holds it enters once more, and leaves again. */
  enterAgain?(): Promise<void>;
  unlock(): Promise<void>;
  /** Calls `wake` when it may be free. Returns how to take that back. */
  listen?(wake: () => void): () => void;
}

/** What a foreign lock works with. */
export interface ForeignSite {
  readonly process: SimProcess;
  readonly settings: ForeignSettings;
  readonly wires: readonly Wire[];
  /** What nobody else in the run is called. */
  readonly id: string;
  readonly key: string;
  readonly session: ForeignSession;
  /** Hears what is published on a channel, on all nodes. Returns how to end that. */
  subscribe(channel: string, onMessage: (message: string) => void): () => void;
}

/** The process's wall clock in whole ms, as its code reads it. */
export function wallMs({ process }: ForeignSite): number {
  return Math.floor(process.clock.wallUs() / 1_000);
}

/** What each node answered, in their order; undefined where it did not. */
export function askAll<Answer>(
  { wires }: ForeignSite,
  ask: (wire: Wire) => Promise<Answer>,
): Promise<(Answer | undefined)[]> {
  return Promise.all(wires.map((wire) => ask(wire).catch(() => undefined)));
}

export function isQuorum({ wires }: ForeignSite, count: number): boolean {
  return count > wires.length / 2;
}
