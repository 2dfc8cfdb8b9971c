import { setTimeout as sleep } from "node:timers/promises";
import { RedisFleet } from "../../src/testing/index.js";
import { startCluster } from "../../test/support/cluster.js";
import { callsBetween, readStats } from "../numbers/node-stats.js";
import { rotated } from "../numbers/rotated.js";
import { Child } from "../process/child.js";
import type { Progress } from "../progress.js";
import { closeClients, openClients } from "../subjects/clients.js";
import {
  contentionName,
  type ContenderQuestion,
  type Contention,
  type MeasuredAnswer,
  type Shares,
} from "./contention.js";
import { contendedSends, isFloor, isOnClusters, type ContendedPlan } from "./plan.js";
import { sampleOf, type ContendedSample } from "./sample.js";

const CONTENDER = new URL("contender.js", import.meta.url);

/** Time for starting and connecting 50 processes, ms; the same again in addition to the measurement. */
const SPARE_MS = 60_000;

/** Samples of one subject, one per round. */
export interface ContendedSeries {
  readonly contention: Contention;
  readonly subjectName: string;
  readonly samples: ContendedSample[];
}

export const contendedSteps = ({ cases, rounds }: ContendedPlan): number =>
  rounds * cases.reduce((sum, { subjectNames }) => sum + subjectNames.length, 0);

/** Measures everything once per round, so that figures of one round can be compared. */
export async function runContendedPart(
  plan: ContendedPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<ContendedSeries[]> {
  const all = plan.cases.map(({ contention, subjectNames }) =>
    subjectNames.map((subjectName): ContendedSeries => ({ contention, subjectName, samples: [] })),
  );
  const { nodeCount, cases } = plan;
  const needsClusters = cases.some(({ subjectNames }) => subjectNames.some(isOnClusters));
  await using clusters = needsClusters
    ? await RedisFleet.start({ nodes: nodeCount, provider: { start: startCluster } })
    : undefined;
  for (let round = 0; round < plan.rounds; round++) {
    for (const one of all) {
      for (const { contention, subjectName, samples } of rotated(one, round)) {
        const what = `${contentionName(contention)}, round ${round + 1}/${plan.rounds}`;
        progress.step(`${what}: ${subjectName}`);
        const nodes = isOnClusters(subjectName) ? (clusters ?? fleet) : fleet;
        samples.push(await runOnce(plan, contention, subjectName, nodes));
      }
    }
  }
  return all.flat();
}

async function runOnce(
  { nodeCount, warmUpCycles, warmUpMs, settleMs, measureMs, profileMs }: ContendedPlan,
  contention: Contention,
  subjectName: string,
  fleet: RedisFleet,
): Promise<ContendedSample> {
  await Promise.all(fleet.nodes.map((node) => node.flush()));
  const urls = fleet.urls.slice(0, nodeCount);
  const { processCount } = contention;
  const contenders = Array.from({ length: processCount }, () => new Child(subjectName, CONTENDER));
  const nodes = await openClients(urls);
  try {
    const ask = <Answer>(ofIndex: (index: number) => ContenderQuestion, limitMs: number) =>
      Promise.all(contenders.map((one, index) => one.ask<Answer>(ofIndex(index), limitMs)));
    await ask(
      (index) => ({ kind: "open", subjectName, urls, place: { index, processCount } }),
      SPARE_MS,
    );
    const cycleCount = Math.ceil(warmUpCycles / processCount);
    await ask(() => ({ kind: "warmUp", cycleCount }), SPARE_MS);
    const contend = async (
      each: Contention,
      forMs: number,
      watchedIndex?: number,
    ): Promise<(Shares | undefined)[]> => {
      // A ring does not begin anew.
      if (forMs === 0 || isFloor(subjectName)) return [];
      return ask<Shares | undefined>(
        (index) => ({
          kind: "contend",
          contention: each,
          forMs,
          isWatched: index === watchedIndex,
        }),
        forMs + SPARE_MS,
      );
    };
    await contend({ ...contention, sectionMs: 0 }, warmUpMs);
    const [first] = contenders;
    await ask(() => ({ kind: "begin", contention }), SPARE_MS);
    using _ = first && throttle(first, contention.firstShare);
    await sleep(settleMs);
    const before = await readStats(nodes);
    const answers = await ask<MeasuredAnswer>(
      () => ({ kind: "measure", measureMs }),
      measureMs + SPARE_MS,
    );
    const after = await readStats(nodes);
    const calls = callsBetween(before, after, contendedSends(subjectName));
    const cpuUs = after.cpuUs - before.cpuUs;
    const [shares] = await contend(contention, profileMs, 0);
    return sampleOf(answers, measureMs, { callsPerNode: calls / nodes.length, cpuUs }, shares);
  } finally {
    closeClients(nodes);
    await Promise.all(contenders.map((one) => one[Symbol.asyncDispose]()));
  }
}

/** How often a limited process goes on for its share of the time, ms. */
const PERIOD_MS = 100;

/** Stops the process for all but its share of each period, as a container's limit does. */
function throttle(child: Child, share: number | undefined): Disposable {
  if (share === undefined) return { [Symbol.dispose]: () => {} };
  let goOn: NodeJS.Timeout | undefined;
  const period = setInterval(() => {
    child.signal("SIGCONT");
    goOn = setTimeout(() => child.signal("SIGSTOP"), PERIOD_MS * share);
  }, PERIOD_MS);
  return {
    [Symbol.dispose]: () => {
      clearInterval(period);
      clearTimeout(goOn);
      child.signal("SIGCONT");
    },
  };
}
