// The process of one run: one subject in one cell. Forked by run.ts.
import { serve } from "../process/serve.js";
import { openClients } from "../subjects/clients.js";
import { loadSubject } from "../subjects/index.js";
import { runUncontended, type RunOptions } from "./workload.js";

export interface Job {
  readonly subjectName: string;
  readonly urls: readonly string[];
  readonly options: RunOptions;
}

serve(async ({ subjectName, urls, options }: Job) => {
  const subject = await loadSubject(subjectName);
  const nodes = await openClients(urls);
  await subject.open(urls);
  return runUncontended(subject, nodes, options);
});
