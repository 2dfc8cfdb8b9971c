import type { Redis } from "ioredis";
import type { RedisFleet } from "../../src/testing/index.js";
import { readStats } from "../numbers/node-stats.js";
import { Child } from "../process/child.js";
import type { Progress } from "../progress.js";
import { runBesideBase } from "../rounds-beside.js";
import type { ClientAnswer, ClientQuestion } from "./client.js";
import type { PermitsCase, PermitsPlan } from "./plan.js";
import type { PermitsSample } from "./sample.js";

const CLIENT = new URL("client.js", import.meta.url);

/** Time limit of one question, ms. */
const LIMIT_MS = 120_000;

/** Samples of one semaphore, one per round. */
export interface PermitsSeries extends PermitsCase {
  readonly samples: PermitsSample[];
}

export const permitsSteps = ({ cases, rounds }: PermitsPlan): number => rounds * cases.length;

export async function runPermitsPart(
  plan: PermitsPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<PermitsSeries[]> {
  const nameOf = (one: PermitsCase): string =>
    `1 to ${one.most}, ${one.heldCount} of ${one.permits} permits held`;
  return await runBesideBase(plan, fleet, progress, nameOf, (one, urls, readers) =>
    runOnce(plan, one, urls, readers),
  );
}

async function runOnce(
  { workerCount, warmUpMs, measureMs, nodeCount }: PermitsPlan,
  one: PermitsCase,
  urls: readonly string[],
  readers: readonly Redis[],
): Promise<Omit<PermitsSample, "base">> {
  await using child = new Child("permits", CLIENT);
  const ask = (forMs: number): Promise<ClientAnswer> => {
    const question: ClientQuestion = { ...one, urls, workerCount, forMs };
    return child.ask<ClientAnswer>(question, LIMIT_MS);
  };
  await ask(warmUpMs);
  const scriptsUs = async (): Promise<number> => {
    const { spentUs } = await readStats(readers);
    return (spentUs.get("evalsha") ?? 0) + (spentUs.get("eval") ?? 0);
  };
  const beforeUs = await scriptsUs();
  const { requestCount, elapsedMs, cpuUs } = await ask(measureMs);
  const spentUs = (await scriptsUs()) - beforeUs;
  return {
    requestsPerSecond: requestCount / (elapsedMs / 1_000),
    clientUs: cpuUs / requestCount,
    nodeUs: spentUs / nodeCount / requestCount,
  };
}
