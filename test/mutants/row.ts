import type { OracleId } from "../../sim/oracles/history.js";
import type { Profile } from "../../sim/profiles.js";
import type { Scenario } from "../../sim/scenario.js";

/** One change of a source, in TypeScript or Lua. */
export interface Change {
  /** Where it was last seen: `src/protocol/quorum.ts`, `src/script/lib/fences.lua`. */
  readonly file: string;
  /** A part of the source, without types; see `places.ts` for what may differ. */
  readonly find: string;
  /** What stands there instead; nothing, if it is missing. */
  readonly replace: string;
  /** Function, method or class around it, where the file has several such places. */
  readonly inside?: string;
}

/** A run in which a bug was noticed: which of `where` it was, its seed, and how long it took. */
export interface Pin {
  readonly where: number;
  readonly seed: number;
  /** Seed of the times that messages take, if it is not that of the scenario. */
  readonly timing?: number;
  /** Time of that run, ms: of the broken code alone. */
  readonly ms: number;
}

/** One of two barriers against the same bug: nobody misses it where the other stands. */
export interface Barrier {
  readonly id: string;
  readonly title: string;
  /** Why nothing shows without it, as long as the other stands. */
  readonly why: string;
  /** Generated scenarios in which it must not be missed either, for a search to run. */
  readonly quietIn: readonly Profile[];
  readonly changes: readonly Change[];
}

interface Planted {
  readonly id: string;
  /** What the bug does, in one sentence. */
  readonly means: string;
  /** What kind of implementation has it. */
  readonly seenIn?: string;
}

/** An oracle of the simulator must notice it. */
interface Simulated {
  /** The oracles; several where they name the same breach. */
  readonly noticedBy: readonly OracleId[];
  /**
   * Scenarios to run it in: generated ones of a profile, or directed ones, of which the seed only
   * decides how long messages take.
   */
  readonly where: readonly (Profile | Scenario)[];
  /** Seeds that a search tries, for each of `where`. */
  readonly seedBudget: number;
  /** Written by `npm run mutants -- --search`. */
  readonly pin?: Pin;
}

/** A test must fail. */
interface Tested {
  /** `test/protocol/quorum.test.ts`. It runs within a process that many share, see docs/internals/mutants.md. */
  readonly test: string;
  /** Part of the titles of the tests in it that are run; otherwise all are. */
  readonly grep?: string;
}

/** One place, and further ones without which the bug would not show. */
interface InOnePlace extends Change {
  readonly also?: readonly Change[];
}

/** A bug that two barriers keep out: both are taken out. */
interface BehindTwo {
  readonly barriers: readonly [Barrier, Barrier];
}

export type Row = Planted & (Simulated | Tested) & (InOnePlace | BehindTwo);
export type SimulatedRow = Extract<Row, Simulated>;
export type TestedRow = Extract<Row, Tested>;

export function isTested(row: Row): row is TestedRow {
  return "test" in row;
}

export function barriersOf(row: Row): readonly Barrier[] {
  return "barriers" in row ? row.barriers : [];
}

export function changesOf(row: Row): readonly Change[] {
  if ("barriers" in row) return row.barriers.flatMap(({ changes }) => changes);
  const { file, find, replace, inside, also = [] } = row;
  return [{ file, find, replace, ...(inside === undefined ? {} : { inside }) }, ...also];
}

/** The name under which the code without only this barrier is loaded. */
export function withoutOnly({ id }: Row, barrier: Barrier): string {
  return `${id}--${barrier.id}`;
}
