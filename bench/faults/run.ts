import { setTimeout as sleep } from "node:timers/promises";
import type { RedisFleet } from "../../src/testing/index.js";
import { rotated } from "../numbers/rotated.js";
import { Child } from "../process/child.js";
import { EXPOSE_GC } from "../process/heap.js";
import type { Progress } from "../progress.js";
import type { ClientQuestion } from "./client.js";
import { FAULTS, faultCaseName, type Fault, type FaultCase, type StruckNode } from "./fault.js";
import type { FaultsPlan } from "./plan.js";
import { readingOf, type FaultSample, type Look, type Traffic } from "./sample.js";
import { readStruck, trafficBetween } from "./traffic.js";

const CLIENT = new URL("client.js", import.meta.url);

const ANSWER_LIMIT_MS = 30_000;

/** From the start of an outage to the first reading of the heap, as a share of the outage. */
const EARLY = 0.4;

/**
 * Which outage of a process it is. In the first, code runs for the first time, and code that was compiled for nodes
 * that always answer is compiled again.
 */
export const OUTAGES = ["first", "second"] as const;

/** Samples of one case, one per round. */
export interface FaultSeries {
  readonly faultCase: FaultCase;
  readonly outage: (typeof OUTAGES)[number];
  readonly samples: FaultSample[];
}

export const faultsSteps = ({ cases, rounds }: FaultsPlan): number => rounds * cases.length;

export async function runFaultsPart(
  plan: FaultsPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<FaultSeries[]> {
  const cases = plan.cases.map((faultCase) => {
    return { faultCase, samples: OUTAGES.map((): FaultSample[] => []) };
  });
  for (let round = 0; round < plan.rounds; round++) {
    for (const { faultCase, samples } of rotated(cases, round)) {
      const name = faultCaseName(faultCase);
      progress.step(`${name} of ${plan.nodeCount}, round ${round + 1}/${plan.rounds}`);
      const found = await runOnce(plan, faultCase, fleet);
      found.forEach((sample, index) => samples[index]?.push(sample));
    }
  }
  return cases.flatMap(({ faultCase, samples }) =>
    OUTAGES.map((outage, index) => ({ faultCase, outage, samples: samples[index] ?? [] })),
  );
}

/** One process and its outages. */
async function runOnce(
  plan: FaultsPlan,
  { fault: name, struckCount }: FaultCase,
  fleet: RedisFleet,
): Promise<FaultSample[]> {
  const fault: Fault = FAULTS[name];
  const nodes = fleet.nodes.slice(0, plan.nodeCount);
  await Promise.all(fleet.nodes.map((node) => node.flush()));
  // The others are reached directly: a quorum of all nodes decides.
  const struck = await Promise.all(
    nodes.slice(0, struckCount).map(async (node) => ({ node, link: await node.linkFor("faults") })),
  );
  const urls = nodes.map((node, index) => struck[index]?.link.url ?? node.url);
  await using client = new Child(`client with ${name} nodes`, CLIENT, EXPOSE_GC);
  const ask = <Answer>(question: ClientQuestion): Promise<Answer> =>
    client.ask<Answer>(question, ANSWER_LIMIT_MS);

  await ask({ kind: "open", urls, cyclesPerSecond: plan.cyclesPerSecond });
  const samples: FaultSample[] = [];
  while (samples.length < OUTAGES.length) {
    // Nodes that were killed vote again after their quarantine.
    await ask({ kind: "ready" });
    await sleep(plan.warmUpMs);
    samples.push(await measure(plan, fault, struck, () => ask({ kind: "look" })));
  }
  return samples;
}

async function measure(
  plan: FaultsPlan,
  fault: Fault,
  struck: readonly StruckNode[],
  look: () => Promise<Look>,
): Promise<FaultSample> {
  await look();
  const before = await readStruck(struck);
  await sleep(plan.healthyMs);
  const after = await readStruck(struck);
  const healthy = await look();
  const { early, late, recovery } = await measureOutage(plan, fault, struck, look);
  return {
    healthy: readingOf(healthy),
    outage: readingOf(early, late),
    heapBytes: { healthy: healthy.heapBytes, early: early.heapBytes, late: late.heapBytes },
    normal: trafficBetween(before, after),
    recovery,
  };
}

interface Outage {
  readonly early: Look;
  readonly late: Look;
  readonly recovery: Traffic;
}

async function measureOutage(
  { outageMs, recoveryMs }: FaultsPlan,
  fault: Fault,
  struck: readonly StruckNode[],
  look: () => Promise<Look>,
): Promise<Outage> {
  const all = (what: (one: StruckNode) => Promise<void>) => Promise.all(struck.map(what));
  let lastKnown = await readStruck(struck);
  try {
    await all((one) => fault.strike(one));
    // The first moments, in which the fault is not yet detected, count as well.
    await sleep(EARLY * outageMs);
    const early = await look();
    await sleep((1 - EARLY) * outageMs);
    const late = await look();
    // A node that cannot be reached has done nothing since the last reading.
    if (fault.isReachable) lastKnown = await readStruck(struck);
    await all((one) => fault.recover(one));
    const from = { ...lastKnown, atMs: performance.now() };
    await sleep(recoveryMs);
    return { early, late, recovery: trafficBetween(from, await readStruck(struck)) };
  } catch (error) {
    await all((one) => fault.recover(one)).catch(() => {});
    throw error;
  }
}
