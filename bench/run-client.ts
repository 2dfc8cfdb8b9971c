import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Answer, Job } from "./job.js";
import type { Sample } from "./sample.js";

const CLIENT = fileURLToPath(new URL("client.js", import.meta.url));

/** Time for starting, connecting and draining, ms, on top of what is measured. */
const SPARE_MS = 15_000;

/**
 * Runs one job in a process of its own: no subject meets another's heap, code or garbage.
 *
 * @throws Error with what the client said, or if it ended or went on without an answer.
 */
export function runClient(job: Job, execArgv: readonly string[] = []): Promise<Sample> {
  const child = fork(CLIENT, {
    execArgv: [...execArgv],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  return new Promise<Sample>((resolve, reject) => {
    const { warmUpMs, measureMs } = job.options;
    const timer = setTimeout(
      () => {
        child.kill("SIGKILL");
        reject(new Error(`${job.subjectName} did not finish`));
      },
      warmUpMs + measureMs + SPARE_MS,
    );
    let answer: Answer | undefined;
    child.once("message", (message) => {
      answer = message as Answer;
    });
    child.once("error", reject);
    // Only when it is gone: the next one must not share the processor with its end.
    child.once("exit", (code) => {
      clearTimeout(timer);
      if (answer === undefined) reject(new Error(`${job.subjectName} ended with code ${code}`));
      else if ("error" in answer) reject(new Error(`${job.subjectName}: ${answer.error}`));
      else resolve(answer.sample);
    });
    child.send(job);
  });
}
