import { register } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type * as Simulator from "../../sim/index.js";
import type { RunResult } from "../../sim/simulate.js";
import type { OracleId, Violation } from "../../sim/oracles/history.js";
import { ENTRY } from "./catalog.js";
import { addressOf, type HookData } from "./hooks.js";
import { barriersOf, withoutOnly, type Kill, type Mutant } from "./mutant.js";

/** A mutant to run: only as its pin says, or over all of its seeds. */
export interface Job {
  readonly mutant: Mutant;
  readonly isSearch: boolean;
}

export interface Outcome {
  /** Undefined if it survived. */
  readonly kill: Kill | undefined;
  /** Runs up to and including the kill. */
  readonly runCount: number;
  /** Whatever fired in the run that killed it. */
  readonly fired: readonly OracleId[];
  /** What fired in other runs, or went wrong: of help when it survives. */
  readonly notes: readonly string[];
}

const { root } = workerData as HookData;
register("./hooks.js", import.meta.url, { data: workerData as HookData });

const entry = root + ENTRY;
const original = (await import(entry)) as typeof Simulator;

async function runOne(
  simulator: typeof Simulator,
  { where }: Mutant,
  kill: Kill,
): Promise<readonly Violation[]> {
  const place = where[kill.where];
  if (place === undefined) throw new Error(`no scenario ${kill.where}`);
  const scenario =
    typeof place === "string"
      ? original.generateScenario(kill.seed, place)
      : { ...place, seed: kill.seed };
  const { violations }: RunResult = await simulator.simulate(scenario);
  return violations;
}

async function run({ mutant, isSearch }: Job): Promise<Outcome> {
  const changed = (await import(addressOf(entry, mutant.id))) as typeof Simulator;
  const notes = new Set<string>();
  let runCount = 0;
  for (const kill of killsToTry(mutant, isSearch)) {
    runCount++;
    let violations: readonly Violation[];
    try {
      violations = await runOne(changed, mutant, kill);
    } catch (error) {
      notes.add(`threw: ${String(error)}`);
      continue;
    }
    const fired = [...new Set(violations.map(({ id }) => id))];
    if (!mutant.killer.some((id) => fired.includes(id))) {
      for (const id of fired) notes.add(`${id} fires`);
      continue;
    }
    const clean = await runOne(original, mutant, kill);
    if (clean.length > 0) {
      notes.add(`the unchanged code breaks ${clean[0]?.id} with seed ${kill.seed}`);
      continue;
    }
    const missed = await missedBarriers(mutant, kill, isSearch);
    if (missed.length === 0) return { kill, runCount, fired, notes: [...notes] };
    for (const note of missed) notes.add(note);
  }
  return { kill: undefined, runCount, fired: [], notes: [...notes] };
}

/** Seeds of each profile in which a search runs the code without one barrier. */
const QUIET_SEEDS = 60;

/** Which barriers of a pair are missed by themselves where they must not be. */
async function missedBarriers(mutant: Mutant, kill: Kill, isSearch: boolean): Promise<string[]> {
  const notes: string[] = [];
  for (const barrier of barriersOf(mutant)) {
    const address = addressOf(entry, withoutOnly(mutant, barrier));
    const changed = (await import(address)) as typeof Simulator;
    const violations = [...(await runOne(changed, mutant, kill))];
    for (const profile of isSearch ? barrier.quietIn : []) {
      for (let seed = 1; seed <= QUIET_SEEDS; seed++) {
        const scenario = original.generateScenario(seed, profile);
        violations.push(...(await changed.simulate(scenario)).violations);
      }
    }
    if (violations[0]) notes.push(`without only ${barrier.id}, ${violations[0].id} fires`);
  }
  return notes;
}

function* killsToTry({ where, seedBudget, killedBy }: Mutant, isSearch: boolean): Iterable<Kill> {
  if (!isSearch) {
    if (killedBy !== undefined) yield killedBy;
    return;
  }
  for (let seed = 1; seed <= seedBudget; seed++) {
    for (const index of where.keys()) yield { where: index, seed };
  }
}

parentPort?.on("message", (job: Job) => {
  void run(job).then(
    (outcome) => parentPort?.postMessage({ outcome }, []),
    (error: unknown) => parentPort?.postMessage({ error: String(error) }, []),
  );
});
