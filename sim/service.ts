import type { Wanted } from "./wanted.js";
import type { SimProcess } from "./sim-process.js";

/** A lock as histories know it. */
export interface Held {
  readonly ownerId: string;
  readonly token: number | undefined;
  /** One entry per name of a set, which is held name by name. */
  readonly names: readonly string[];
}

/** What a service does with locks that it holds, whatever interface it acquired them with. */
export interface Service<L extends Held> {
  readonly process: SimProcess;
  readonly ttlMs: number;
  /** The check before a critical step. */
  isHeld(had: L): boolean;
  /** @param toMs how long it is to last from then on, where the interface has such an argument */
  extend(had: L, toMs?: number): Promise<void>;
  /** Like a caller that does not know that its owner already holds the lock, and has no time to lose. */
  enterAgain?(wanted: Wanted): Promise<void>;
}

/** All its names as one. */
export function nameOf({ names }: Pick<Held, "names">): string {
  return names.join(", ");
}
