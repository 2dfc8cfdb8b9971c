import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Answer, Job } from "./job.js";
import { span } from "./observe/words.js";
import { scenarioOf } from "./scenarios/index.js";
import type { Observation } from "./scenarios/scenario.js";

const CHILD = fileURLToPath(new URL("child.js", import.meta.url));

/** Time for starting servers and connecting, ms, in addition to the scenario's own. */
const SPARE_MS = 20_000;

/** A run that shows nothing about the subject. */
export class RunError extends Error {}

/**
 * Runs one job in its own process with a hard time limit, so that a process that hangs or crashes is an
 * observation too.
 *
 * @throws RunError when the scenario itself failed.
 */
export function runJob(job: Job): Promise<Observation> {
  const child = fork(CHILD, { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const limitMs = scenarioOf(job.scenarioId).limitMs(job.ttlMs) + SPARE_MS;
  return new Promise((resolve, reject) => {
    let answer: Answer | undefined;
    let isTimedOut = false;
    let output = "";
    const timer = setTimeout(() => {
      isTimedOut = true;
      child.kill("SIGKILL");
    }, limitMs);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-4_000);
    });
    child.once("message", (message) => (answer = message as Answer));
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      if (answer === undefined) {
        const cell = isTimedOut ? `the process hangs (${span(limitMs)})` : crashWords(output);
        resolve({ cell, facts: { code, output } });
      } else if ("error" in answer) reject(new RunError(answer.error));
      else resolve(answer.observation);
    });
    child.send(job);
  });
}

/** The line with the error of an uncaught exception. */
function crashWords(output: string): string {
  const line = output.split("\n").find((text) => /^(Uncaught )?\w*Error\b/.test(text));
  return `the process dies${line === undefined ? "" : ` (${line})`}`;
}
