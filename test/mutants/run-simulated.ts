import { addressOf } from "./hooks.js";
import { BUILD, ENTRY } from "./broken-code.js";
import { barriersOf, withoutOnly, type Pin, type SimulatedRow } from "./row.js";
import type { Effort, Outcome } from "./runner.js";
import type * as Simulator from "../../sim/index.js";
import type { Profile } from "../../sim/profiles.js";
import type { Scenario } from "../../sim/scenario.js";
import type { RunResult } from "../../sim/simulate.js";
import { IS_WHOLE } from "../support/whole.js";
import { isPromised } from "../support/sim/promised.js";

/** Runs that the tests try where a pin does not hold any more. */
export const FEW_RUNS = 50;

/** Seeds of each profile in which a search runs the code without one barrier. */
const QUIET_SEEDS = 60;

/** A search goes on after its first find, for one that is cheaper to find again. */
const FURTHER_FINDS = 2;
const FURTHER_RUNS = 30;

/** Other timings of a find that a search tries, to see how much depends on them. */
const TIMINGS = 6;

type Try = Omit<Pin, "ms">;

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
    found = { pin: { ...each, ms }, by, cost };
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
  const [clean] = await firedInUnchanged(row, each);
  if (clean !== undefined) return [`the unchanged code breaks ${clean} with seed ${each.seed}`];
  const original = await load();
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

/** What fires in the unchanged code, by scenario: a run is a function of it, and many bugs are found in the same ones. */
const inUnchanged = new Map<string, readonly string[]>();

async function firedInUnchanged(row: SimulatedRow, each: Try): Promise<readonly string[]> {
  if (IS_WHOLE && isPromised(placeOf(row, each), each.seed, each.timing)) return [];
  const scenario = await scenarioOf(row, each);
  const key = JSON.stringify(scenario);
  const known = inUnchanged.get(key);
  if (known !== undefined) return known;
  const { simulate } = await load();
  const fired = firedIn(await simulate(scenario));
  inUnchanged.set(key, fired);
  return fired;
}

async function runOne(
  simulator: typeof Simulator,
  row: SimulatedRow,
  each: Try,
): Promise<RunResult> {
  return simulator.simulate(await scenarioOf(row, each));
}

async function scenarioOf(row: SimulatedRow, each: Try): Promise<Scenario> {
  const { seed, timing = seed } = each;
  const place = placeOf(row, each);
  const { generateScenario } = await load();
  const scenario = typeof place === "string" ? generateScenario(seed, place) : place;
  return { ...scenario, seed: timing };
}

function placeOf({ where }: SimulatedRow, { where: index }: Try): Profile | Scenario {
  const place = where[index];
  if (place === undefined) throw new Error(`no scenario ${index}`);
  return place;
}

function firedIn({ violations }: RunResult): readonly string[] {
  return [...new Set(violations.map(({ id }) => id))];
}

function* triesOf({ where, seedBudget, pin }: SimulatedRow, effort: Effort): Iterable<Try> {
  if (effort === "search") yield* seedsOf(where.length, 1, seedBudget);
  else if (effort === "pin" && pin !== undefined) yield pin;
  else if (effort === "few" && pin === undefined) yield* seedsOf(where.length, 1, FEW_RUNS);
  else if (effort === "few" && pin !== undefined) {
    // A rare bug needs the scenario that was pinned; one that is not, only another.
    const seeds = seedsOf(where.length, FEW_RUNS / 2 + 1, FEW_RUNS);
    let timing = 1;
    for (const each of seeds) yield* [{ where: pin.where, seed: pin.seed, timing: timing++ }, each];
  }
}

function* seedsOf(whereCount: number, first: number, last: number): Generator<Try, void> {
  for (let seed = first; seed <= last; seed++) {
    for (let where = 0; where < whereCount; where++) yield { where, seed };
  }
}
