import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { RedisFleet } from "../../src/testing/index.js";
import { callsBetween, readStats } from "../node-stats.js";
import type { Progress } from "../progress.js";
import { rotated } from "../rounds.js";
import { closeClients, openClients } from "../subjects/clients.js";
import {
  CONTENDED_SUBJECTS,
  sampleOf,
  type ContendedSample,
  type ContendedSubject,
  type ContenderAnswer,
  type ContenderJob,
  type Contention,
} from "./contention.js";

const CONTENDER = fileURLToPath(new URL("contender.js", import.meta.url));

/** Time for starting and connecting, ms, on top of what is measured. */
const SPARE_MS = 20_000;

/** Samples of one subject, one a round. */
export interface ContendedSeries {
  readonly subjectName: ContendedSubject;
  readonly samples: readonly ContendedSample[];
}

/** Measures all subjects on the fleet, in rounds that interleave. */
export async function runContention(
  contention: Contention,
  rounds: number,
  fleet: RedisFleet,
  progress: Progress,
): Promise<ContendedSeries[]> {
  const samples = new Map(CONTENDED_SUBJECTS.map((name) => [name, [] as ContendedSample[]]));
  for (let round = 0; round < rounds; round++) {
    for (const subjectName of rotated(CONTENDED_SUBJECTS, round)) {
      progress.step(`contended, round ${round + 1}/${rounds}: ${subjectName}`);
      samples.get(subjectName)?.push(await runOnce(contention, subjectName, fleet));
    }
  }
  return [...samples].map(([subjectName, list]) => ({ subjectName, samples: list }));
}

async function runOnce(
  contention: Contention,
  subjectName: ContendedSubject,
  fleet: RedisFleet,
): Promise<ContendedSample> {
  await Promise.all(fleet.nodes.map((node) => node.flush()));
  const nodes = await openClients(fleet.urls);
  try {
    const job: ContenderJob = { subjectName, urls: fleet.urls, contention };
    const before = await readStats(nodes);
    const answers = await Promise.all(
      Array.from({ length: contention.processCount }, () => contend(job)),
    );
    const calls = callsBetween(before, await readStats(nodes), ["eval", "evalsha"]);
    return sampleOf(answers, contention.measureMs, calls / nodes.length);
  } finally {
    closeClients(nodes);
  }
}

/** @throws Error if the process ends, or goes on, without an answer. */
function contend(job: ContenderJob): Promise<ContenderAnswer> {
  const child = fork(CONTENDER, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`${job.subjectName} did not finish`));
    }, job.contention.measureMs + SPARE_MS);
    let answer: ContenderAnswer | undefined;
    child.once("message", (message) => {
      answer = message as ContenderAnswer;
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(timer);
      if (answer === undefined) reject(new Error(`${job.subjectName} ended with code ${code}`));
      else resolve(answer);
    });
    child.send(job);
  });
}
