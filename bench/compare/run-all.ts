import pLimit from "p-limit";
import type { Progress } from "../progress.js";
import type { Job } from "./job.js";
import { inTurns } from "./plan.js";
import { runJob, RunError } from "./run-job.js";
import type { Observation } from "./scenarios/scenario.js";

/** Number of parallel runs: they spend nearly all of their time waiting. */
const SIDE_BY_SIDE = 6;

export interface Run {
  readonly job: Job;
  /** Undefined when the scenario itself failed. */
  readonly observation: Observation | undefined;
  readonly error?: string;
}

/** Runs all jobs; the results are in the order of the jobs. */
export async function runAll(jobs: readonly Job[], progress: Progress): Promise<Run[]> {
  const runs = new Map<Job, Run>();
  const runOne = async (job: Job): Promise<void> => {
    const run = await observe(job);
    runs.set(job, run);
    const result = run.observation?.cell ?? `FAILED: ${run.error}`;
    progress.step(`${job.scenarioId} ${job.subjectId} (${job.variant}): ${result}`);
  };
  const { shared, alone } = inTurns(jobs);
  const limit = pLimit(SIDE_BY_SIDE);
  await Promise.all(shared.map((job) => limit(() => runOne(job))));
  for (const job of alone) await runOne(job);
  return jobs.flatMap((job) => runs.get(job) ?? []);
}

async function observe(job: Job): Promise<Run> {
  try {
    return { job, observation: await runJob(job) };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { job, observation: undefined, error: error.message };
  }
}
