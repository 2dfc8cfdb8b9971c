import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { SimulateArguments } from "./simulate-arguments.js";
import { addTally, emptyTally, type Tally } from "./tally.js";
import type { WorkerAnswer, WorkerTask } from "./worker.js";

const WORKER = fileURLToPath(new URL("./worker.js", import.meta.url));

/** Runs per task of a worker: few enough for frequent progress, many enough that the overhead is negligible. */
const RUNS_AT_ONCE = 20;

/** The tasks to run. Profiles alternate, so that a campaign that is cut short covers all of them. */
export function tasksOf(given: SimulateArguments): WorkerTask[] {
  const { runCount, firstSeed, profiles, oracles } = given;
  const tasks: WorkerTask[] = [];
  const left = profiles.map((_, index) => {
    const share = Math.floor(runCount / profiles.length);
    return share + (index < runCount % profiles.length ? 1 : 0);
  });
  for (let at = 0; left.some((count) => count > 0); at += RUNS_AT_ONCE) {
    profiles.forEach((profile, index) => {
      const count = Math.min(RUNS_AT_ONCE, left[index] ?? 0);
      left[index] = (left[index] ?? 0) - count;
      if (count === 0) return;
      tasks.push({ profile, firstSeed: firstSeed + at, count, ...(oracles && { oracles }) });
    });
  }
  return tasks;
}

/**
 * Runs all tasks on worker processes.
 *
 * @param signal ends the campaign early: resolves to the results of the tasks done by then
 * @throws Error when a worker exits or a run breaks off; no scenario may cause either.
 */
export async function runTasks(
  tasks: readonly WorkerTask[],
  jobCount: number,
  onProgress: (total: Tally) => void,
  signal?: AbortSignal,
): Promise<Tally> {
  const total = emptyTally();
  const queue = [...tasks];
  const interrupted = new Promise<undefined>((resolve) => {
    signal?.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const workers = Array.from({ length: Math.min(jobCount, tasks.length) }, () => fork(WORKER));
  try {
    await Promise.all(
      workers.map(async (worker) => {
        for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
          const part = await Promise.race([ask(worker, task), interrupted]);
          if (part === undefined) return;
          addTally(total, part);
          onProgress(total);
        }
      }),
    );
  } finally {
    for (const worker of workers) worker.kill();
  }
  // Workers finish in no fixed order, and the report should not depend on it.
  total.failures.sort((a, b) => a.profile.localeCompare(b.profile) || a.seed - b.seed);
  return total;
}

function ask(worker: ChildProcess, task: WorkerTask): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => {
      reject(new Error(`the worker ended with ${code} during ${task.profile} ${task.firstSeed}`));
    };
    worker.once("exit", onExit);
    worker.once("message", (answer: WorkerAnswer) => {
      worker.off("exit", onExit);
      if (answer.kind === "tally") resolve(answer.tally);
      else reject(new Error(answer.message));
    });
    worker.send(task);
  });
}
