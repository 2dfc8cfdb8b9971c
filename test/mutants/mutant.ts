import type { OracleId } from "../../sim/oracles/history.js";
import type { Profile } from "../../sim/profiles.js";
import type { Scenario } from "../../sim/scenario.js";

/** One change to one compiled module, or to a file of the script. */
export interface Patch {
  /** Module under `src` as it is compiled, `protocol/verdict.js`; or `script/lib/fences.lua`. */
  readonly file: string;
  /** Text of the compiled module, or of the file; it must occur exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A run in which a mutant died: which of its `where` it was, and the seed. */
export interface Kill {
  readonly where: number;
  readonly seed: number;
}

/** One of two barriers against the same bug: taken out alone it is not missed where the bug shows. */
export interface Barrier {
  readonly id: string;
  readonly title: string;
  /** Why nothing shows without it, as long as the other stands. */
  readonly why: string;
  /** Generated scenarios in which it must not be missed either, for a search to run. */
  readonly quietIn: readonly Profile[];
  readonly patches: readonly Patch[];
}

/** A bug of the field, and how it is found. */
interface Planted {
  /** The name of its file. */
  readonly id: string;
  readonly title: string;
  /** What kind of implementation has it. */
  readonly seenIn: string;
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
}

/** Planted into one rule or one node operation. */
export interface Single extends Planted, Patch {
  /** Further changes without which the bug would not show. */
  readonly also?: readonly Patch[];
}

/** A bug that two barriers keep out: both are taken out. */
export interface Pair extends Planted {
  readonly barriers: readonly [Barrier, Barrier];
}

export type Mutant = Single | Pair;

export function barriersOf(mutant: Mutant): readonly Barrier[] {
  return "barriers" in mutant ? mutant.barriers : [];
}

export function patchesOf(mutant: Mutant): readonly Patch[] {
  if ("barriers" in mutant) return mutant.barriers.flatMap(({ patches }) => patches);
  const { file, find, replace, also = [] } = mutant;
  return [{ file, find, replace }, ...also];
}

/** The name under which the code without only this barrier is loaded. */
export function withoutOnly({ id }: Mutant, barrier: Barrier): string {
  return `${id}--${barrier.id}`;
}
