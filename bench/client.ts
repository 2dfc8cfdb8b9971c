// A client process: measures one subject in one cell once. It is forked by run-client.ts.
import { closeClients, openClients } from "./subjects/clients.js";
import { loadSubject } from "./subjects/index.js";
import type { Answer, Job } from "./job.js";
import { runUncontended } from "./workloads/uncontended.js";

process.once("message", (job) => {
  void run(job as Job)
    .catch((error: unknown): Answer => ({ error: String((error as Error).stack ?? error) }))
    .then((answer) => {
      process.send?.(answer, () => process.disconnect());
    });
});

async function run({ subjectName, urls, options }: Job): Promise<Answer> {
  const subject = await loadSubject(subjectName);
  const nodes = await openClients(urls);
  try {
    await subject.open(urls);
    const sample = await runUncontended(subject, nodes, options);
    return { sample };
  } finally {
    await subject.close();
    closeClients(nodes);
  }
}
