import type { OracleId } from "../../src/check/history.js";
import type { Profile } from "../../src/sim/profiles.js";
import type { Scenario } from "../../src/sim/scenario.js";

/** One change to one compiled module. */
export interface Patch {
  /** Module under `src` as it is compiled: `protocol/verdict.js`. */
  readonly file: string;
  /** Text of the compiled module; it must occur exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A run in which a mutant died: which of its `where` it was, and the seed. */
export interface Kill {
  readonly where: number;
  readonly seed: number;
}

/** A bug of the field, planted into one rule or one node operation. */
export interface Mutant extends Patch {
  /** The name of its file. */
  readonly id: string;
  readonly title: string;
  /** What kind of implementation has it. */
  readonly seenIn: string;
  /** Further changes without which the bug would not show. */
  readonly also?: readonly Patch[];
  /**
   * Scenarios to run it in: generated ones of a profile, or directed ones, of which the seed only
   * decides how long messages take.
   */
  readonly where: readonly (Profile | Scenario)[];
  /** The oracle that must find it; several where they name the same breach. */
  readonly killer: readonly OracleId[];
  /** Seeds to search, for each of `where`. */
  readonly seedBudget: number;
  /** Found by a search: replayed first, so that a test run need not search. */
  readonly killedBy?: Kill;
  /** Why no oracle can find it; such a mutant is listed as pending. */
  readonly survives?: string;
}

export function patchesOf({ file, find, replace, also = [] }: Mutant): readonly Patch[] {
  return [{ file, find, replace }, ...also];
}
