import type { Wanted } from "./wanted.js";
import type { SimProcess } from "./sim-process.js";

/** A lock as histories know it. */
export interface Held {
  readonly ownerId: string;
  readonly token: number | undefined;
  /** One a name of a set, which is held name by name. */
  readonly names: readonly string[];
}

/** What a service does with locks it has, by whatever interface it got them. */
export interface Service<L extends Held> {
  readonly process: SimProcess;
  readonly ttlMs: number;
  /** The check before a critical step. */
  isHeld(had: L): boolean;
  extend(had: L): Promise<void>;
  /** As whoever does not know that its owner is in already, and has no time to lose. */
  enterAgain?(wanted: Wanted): Promise<void>;
}

/** Of all its names, as of one. */
export function nameOf({ names }: Pick<Held, "names">): string {
  return names.join(", ");
}
