import { addressOf } from "./hooks.js";
import { BUILD, ENTRY } from "./broken-code.js";
import { barriersOf, withoutOnly, type Pin, type SimulatedRow } from "./row.js";
import type { Effort, Outcome } from "./runner.js";
import type * as Simulator from "../../sim/index.js";
import type { RunResult } from "../../sim/simulate.js";

/** Seeds of each scenario that the tests try where a pin does not hold any more. */
export const FEW_SEEDS = 50;

/** Seeds of each profile in which a search runs the code without one barrier. */
const QUIET_SEEDS = 60;

/** A search goes on after its first find, for one that takes fewer events. */
const FURTHER_FINDS = 4;
const FURTHER_RUNS = 40;

type Try = Pick<Pin, "where" | "seed">;

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
  let found: { pin: Pin; by: readonly string[]; eventCount: number } | undefined;
  let left = { finds: FURTHER_FINDS, runs: FURTHER_RUNS };
  for (const each of triesOf(row, effort)) {
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
    if (found !== undefined && found.eventCount <= result.eventCount) continue;
    const objections = await objectionsTo(row, each, found === undefined && effort === "search");
    for (const objection of objections) notes.add(objection);
    if (objections.length > 0) continue;
    if (found !== undefined) left = { ...left, finds: left.finds - 1 };
    found = { pin: { ...each, ms }, by, eventCount: result.eventCount };
  }
  const { pin, by = [] } = found ?? {};
  const outcome = { isNoticed: found !== undefined, by, runCount, notes: [...notes] };
  return pin === undefined ? outcome : { ...outcome, pin };
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
  { where: index, seed }: Try,
): Promise<RunResult> {
  const place = where[index];
  if (place === undefined) throw new Error(`no scenario ${index}`);
  const { generateScenario } = await load();
  const scenario = typeof place === "string" ? generateScenario(seed, place) : { ...place, seed };
  return simulator.simulate(scenario);
}

function firedIn({ violations }: RunResult): readonly string[] {
  return [...new Set(violations.map(({ id }) => id))];
}

function* triesOf({ where, seedBudget, pin }: SimulatedRow, effort: Effort): Iterable<Try> {
  if (effort === "pin") {
    if (pin !== undefined) yield { where: pin.where, seed: pin.seed };
    return;
  }
  const lastSeed = effort === "few" ? FEW_SEEDS : seedBudget;
  for (let seed = 1; seed <= lastSeed; seed++) {
    for (const index of where.keys()) yield { where: index, seed };
  }
}
