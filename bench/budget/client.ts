// The process of one run: one subject in one cell, measured first as it is, then with a profile. Forked by run.ts.
import { Latencies } from "../numbers/latencies.js";
import { readStats } from "../numbers/node-stats.js";
import { serve } from "../process/serve.js";
import { openClients } from "../subjects/clients.js";
import { loadSubject } from "../subjects/index.js";
import type { Job } from "../uncontended/client.js";
import { runUncontended, spin } from "../uncontended/workload.js";
import { nodeLines } from "./node-lines.js";
import { profiled } from "./profile.js";
import type { BudgetSample } from "./sample.js";

serve(async ({ subjectName, urls, options }: Job): Promise<BudgetSample> => {
  const subject = await loadSubject(subjectName);
  const nodes = await openClients(urls);
  await subject.open(urls);
  const { clientCpuUs, ...figures } = await runUncontended(subject, nodes, options);

  const latencies = new Latencies();
  const before = await readStats(nodes);
  const endMs = performance.now() + options.measureMs;
  const shares = await profiled(async () => {
    await spin(subject, options.inFlight, () => performance.now() < endMs, latencies);
  });
  const after = await readStats(nodes);
  return {
    cyclesPerSecond: figures.cyclesPerSecond,
    p50Ms: figures.p50Ms,
    client: Object.fromEntries([...shares].map(([line, share]) => [line, share * clientCpuUs])),
    nodes: Object.fromEntries(nodeLines(before, after, subject.sends, latencies.count)),
  };
});
