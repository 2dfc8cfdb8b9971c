/** A worker process: runs the scenarios that its parent names and reports the results. */
import type { OracleId } from "../oracles/history.js";
import { generateScenario } from "../generate.js";
import { MODEL_PROFILES, type Profile } from "../profiles.js";
import { simulate } from "../simulate.js";
import { addRun, emptyTally, type Tally } from "./tally.js";

export interface WorkerTask {
  readonly profile: Profile;
  readonly firstSeed: number;
  readonly count: number;
  readonly oracles?: readonly OracleId[];
}

export type WorkerAnswer =
  | { readonly kind: "tally"; readonly tally: Tally }
  | { readonly kind: "broken"; readonly message: string };

async function run({ profile, firstSeed, count, oracles }: WorkerTask): Promise<Tally> {
  const tally = emptyTally();
  const isInModel = MODEL_PROFILES.some((known) => known === profile);
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    try {
      const result = await simulate(generateScenario(seed, profile), oracles && { oracles });
      addRun(tally, { profile, seed, isInModel }, result);
    } catch (error) {
      const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
      throw new Error(`${profile} seed ${seed}: ${cause}`, { cause: error });
    }
  }
  return tally;
}

process.on("message", (task: WorkerTask) => {
  const answer = (message: WorkerAnswer): void => void process.send?.(message);
  run(task).then(
    (tally) => answer({ kind: "tally", tally }),
    (error: Error) => answer({ kind: "broken", message: error.message }),
  );
});
// Ctrl-C reaches every process of a terminal; the parent decides when workers end.
process.on("SIGINT", () => {});
// A worker without a parent exits.
process.on("disconnect", () => process.exit());
