import { addressOf } from "./hooks.js";
import { BUILD, ENTRY } from "./broken-code.js";
import { barriersOf, withoutOnly, type Pin, type SimulatedRow } from "./row.js";
import type { Effort, Outcome } from "./runner.js";
import type * as Simulator from "../../sim/index.js";
import type { RunResult } from "../../sim/simulate.js";

/** Runs that the tests try where a pin does not hold any more. */
export const FEW_RUNS = 50;

/** Seeds of each profile in which a search runs the code without one barrier. */
const QUIET_SEEDS = 60;

/** A search goes on after its first find, for one that is cheaper to find again. */
const FURTHER_FINDS = 2;
const FURTHER_RUNS = 30;

/** Other timings of a find that a search tries, to see how much depends on them. */
const TIMINGS = 6;

interface Try extends Pick<Pin, "where" | "seed"> {
  /** Seed of the times that messages take, if it is not that of the scenario. */
  readonly timing?: number;
}

const entry = BUILD + ENTRY;

function load(mutant?: string): Promise<typeof Simulator> {
  return import(mutant === undefined ? entry : addressOf(entry, mutant)) as Promise<
    typeof Simulator
  >;
}

/** Runs the row's scenarios without its code until one of its oracles fires, and does not with the code. */
export async function simulateRow(row: SimulatedRow, effort: Effort): Promise<Outcome> {
  const broken = await load(row.id);
  const notes = new Set<string>();
  let runCount = 0;
  let found: { pin: Pin; by: readonly string[]; cost: number } | undefined;
  let left = { finds: FURTHER_FINDS, runs: FURTHER_RUNS };
  for (const each of triesOf(row, effort)) {
    if (effort === "few" && runCount === FEW_RUNS) break;
    if (found !== undefined && (effort !== "search" || left.finds === 0 || left.runs-- === 0))
      break;
    runCount++;
    const startMs = performance.now();
    let result: RunResult;
    try {
      result = await runOne(broken, row, each);
    } catch (error) {
      notes.add(`threw: ${String(error)}`);
      continue;
    }
    const ms = Math.ceil(performance.now() - startMs);
    const by = firedIn(result);
    if (!row.noticedBy.some((id) => by.includes(id))) {
      for (const id of by) notes.add(`${id} fires`);
      continue;
    }
    const objections = await objectionsTo(row, each, found === undefined && effort === "search");
    for (const objection of objections) notes.add(objection);
    if (objections.length > 0) continue;
    if (found !== undefined) left = { ...left, finds: left.finds - 1 };
    const cost = effort === "search" ? await costOfFinding(broken, row, each, result) : 0;
    if (found !== undefined && found.cost <= cost) continue;
    found = { pin: { where: each.where, seed: each.seed, ms }, by, cost };
  }
  const { pin, by = [] } = found ?? {};
  const outcome = { isNoticed: found !== undefined, by, runCount, notes: [...notes] };
  return pin === undefined ? outcome : { ...outcome, pin };
}

/** Events until the bug is found again, if a change of the code alters the times of messages. */
async function costOfFinding(
  broken: typeof Simulator,
  row: SimulatedRow,
  each: Try,
  { eventCount }: RunResult,
): Promise<number> {
  let noticedCount = 1;
  for (let timing = 1; timing <= TIMINGS; timing++) {
    try {
      const by = firedIn(await runOne(broken, row, { ...each, timing }));
      if (row.noticedBy.some((id) => by.includes(id))) noticedCount++;
    } catch {
      // It is not noticed by an oracle.
    }
  }
  return (eventCount * (TIMINGS + 1)) / noticedCount;
}

/** Why a run in which the bug was noticed does not count. */
async function objectionsTo(
  row: SimulatedRow,
  each: Try,
  isThorough: boolean,
): Promise<readonly string[]> {
  const original = await load();
  const [clean] = firedIn(await runOne(original, row, each));
  if (clean !== undefined) return [`the unchanged code breaks ${clean} with seed ${each.seed}`];
  const notes: string[] = [];
  for (const barrier of barriersOf(row)) {
    const broken = await load(withoutOnly(row, barrier));
    const fired = [...firedIn(await runOne(broken, row, each))];
    for (const profile of isThorough ? barrier.quietIn : []) {
      for (let seed = 1; seed <= QUIET_SEEDS; seed++) {
        fired.push(...firedIn(await broken.simulate(original.generateScenario(seed, profile))));
      }
    }
    if (fired[0] !== undefined) notes.push(`without only ${barrier.id}, ${fired[0]} fires`);
  }
  return notes;
}

async function runOne(
  simulator: typeof Simulator,
  { where }: SimulatedRow,
  { where: index, seed, timing = seed }: Try,
): Promise<RunResult> {
  const place = where[index];
  if (place === undefined) throw new Error(`no scenario ${index}`);
  const { generateScenario } = await load();
  const scenario = typeof place === "string" ? generateScenario(seed, place) : place;
  return simulator.simulate({ ...scenario, seed: timing });
}

function firedIn({ violations }: RunResult): readonly string[] {
  return [...new Set(violations.map(({ id }) => id))];
}

function* triesOf({ where, seedBudget, pin }: SimulatedRow, effort: Effort): Iterable<Try> {
  if (effort === "search") yield* seedsOf(where.length, 1, seedBudget);
  else if (effort === "pin" && pin !== undefined) yield { where: pin.where, seed: pin.seed };
  else if (effort === "few" && pin === undefined) yield* seedsOf(where.length, 1, FEW_RUNS);
  else if (effort === "few" && pin !== undefined) {
    // A rare bug needs the scenario that was pinned; one that is not, only another.
    const seeds = seedsOf(where.length, FEW_RUNS / 2 + 1, FEW_RUNS);
    let timing = 1;
    for (const each of seeds) yield* [{ ...pin, timing: timing++ }, each];
  }
}

function* seedsOf(whereCount: number, first: number, last: number): Generator<Try, void> {
  for (let seed = first; seed <= last; seed++) {
    for (let where = 0; where < whereCount; where++) yield { where, seed };
  }
}
