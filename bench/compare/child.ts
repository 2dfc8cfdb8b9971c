// The process of one run: one scenario with one subject. Forked by run-job.ts.
import { UnavailableError } from "../../src/testing/index.js";
import type { Answer, Job } from "./job.js";
import { scenarioOf } from "./scenarios/index.js";
import { subjectEntry } from "./subjects/index.js";

// The parent is gone.
process.once("disconnect", () => process.exit(1));
process.once("message", (job) => {
  void run(job as Job)
    .catch(failed)
    // An immediate exit: whatever a subject leaves open is not for this process to close. The servers
    // end with it.
    .then((answer) => process.send?.(answer, () => process.exit(0)));
});

async function run({ scenarioId, subjectId, ttlMs, clientOptions }: Job): Promise<Answer> {
  const subject = await subjectEntry(subjectId).load();
  return { observation: await scenarioOf(scenarioId).run(subject, ttlMs, clientOptions) };
}

/** A missing feature of this machine is not a failure. */
function failed(error: unknown): Answer {
  if (!(error instanceof UnavailableError)) {
    return { error: String((error as Error).stack ?? error) };
  }
  return { observation: { cell: `not run (${error.message})`, facts: { code: error.code } } };
}
