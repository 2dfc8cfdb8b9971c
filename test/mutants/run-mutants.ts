import { Worker } from "node:worker_threads";
import { affectedBy, importersIn } from "./affected.js";
import { checkFit, BUILD, ENTRY } from "./catalog.js";
import type { HookData } from "./hooks.js";
import { compiled } from "./in-lua.js";
import { barriersOf, patchesOf, withoutOnly, type Mutant } from "./mutant.js";
import type { Job, Outcome } from "./worker.js";

/** Threads at once. */
const WORKER_COUNT = 2;

/** A mutant may make the simulator spin for ever. Far above what a whole search takes. */
const PATIENCE_MS = 120_000;

export type Result = Outcome | { readonly error: string };

/** Runs mutants on threads of their own, two at a time; `done` is told each result as it comes. */
export async function runMutants(
  mutants: readonly Mutant[],
  jobOf: (mutant: Mutant) => readonly Job[],
  done: (mutant: Mutant, result: Result) => void,
): Promise<void> {
  const patches: HookData["patches"] = Object.fromEntries(
    mutants.flatMap((mutant) => [
      [mutant.id, compiled(patchesOf(mutant))],
      ...barriersOf(mutant).map((barrier) => {
        return [withoutOnly(mutant, barrier), compiled(barrier.patches)];
      }),
    ]),
  );
  const importers = importersIn(BUILD, ENTRY);
  const affected = Object.fromEntries(
    Object.entries(patches).map(([id, its]) => {
      const files = its.map(({ file }) => file);
      return [id, affectedBy(files, importers)];
    }),
  );
  const data: HookData = { root: BUILD, patches, affected };
  const queue = [...mutants];
  const work = async (): Promise<void> => {
    let runner = new Runner(data);
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const result = await runJobs(runner, mutant, jobOf(mutant));
      if ("error" in result) {
        await runner.end();
        runner = new Runner(data);
      }
      done(mutant, result);
    }
    await runner.end();
  };
  await Promise.all(Array.from({ length: WORKER_COUNT }, work));
}

/** One job after the other, until one has killed the mutant. */
async function runJobs(runner: Runner, mutant: Mutant, jobs: readonly Job[]): Promise<Result> {
  let result: Result = { kill: undefined, runCount: 0, fired: [], notes: [] };
  try {
    checkFit(mutant);
    for (const job of jobs) {
      result = await runner.run(job);
      if ("error" in result || result.kill !== undefined) break;
    }
    return result;
  } catch (error) {
    return { error: String(error) };
  }
}

class Runner {
  readonly #worker: Worker;

  constructor(data: HookData) {
    this.#worker = new Worker(new URL("worker.js", import.meta.url), { workerData: data });
    // What goes wrong while a job runs is told by that job.
    this.#worker.on("error", () => {});
  }

  run(job: Job): Promise<Result> {
    return new Promise((resolve) => {
      const settle = (result: Result): void => {
        clearTimeout(timer);
        this.#worker.off("message", onMessage);
        this.#worker.off("error", onError);
        resolve(result);
      };
      const onMessage = (reply: { outcome: Outcome } | { error: string }): void =>
        settle("outcome" in reply ? reply.outcome : reply);
      const onError = (error: unknown): void => settle({ error: String(error) });
      const timer = setTimeout(() => settle({ error: "no end in sight" }), PATIENCE_MS);
      this.#worker.on("message", onMessage);
      this.#worker.on("error", onError);
      this.#worker.postMessage(job, []);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
