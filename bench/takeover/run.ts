import { setTimeout as sleep } from "node:timers/promises";
import type { RedisFleet } from "../../src/testing/index.js";
import { Child } from "../process/child.js";
import { nowMs } from "../process/now.js";
import type { Progress } from "../progress.js";
import type { ContenderQuestion } from "./contender.js";
import type { TakeoverPlan } from "./plan.js";
import type { TakeoverSample } from "./sample.js";

const CONTENDER = new URL("contender.js", import.meta.url);

/** Time for starting and acquiring, ms, in addition to the waits. */
const SPARE_MS = 60_000;

/** Samples of one margin, one per round. */
export interface TakeoverSeries {
  readonly ttlMs: number;
  readonly clockStepMs: number;
  readonly samples: TakeoverSample[];
}

export const takeoverSteps = ({ rounds }: TakeoverPlan): number => rounds;

export async function runTakeoverPart(
  plan: TakeoverPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<TakeoverSeries[]> {
  const { ttlMs, clockStepsMs, rounds, nodeCount } = plan;
  const series = clockStepsMs.map((clockStepMs): TakeoverSeries => ({
    ttlMs,
    clockStepMs,
    samples: [],
  }));
  const urls = fleet.urls.slice(0, nodeCount);
  for (let round = 0; round < rounds; round++) {
    progress.step(`holders killed, round ${round + 1}/${rounds}`);
    await Promise.all(fleet.nodes.map((node) => node.flush()));
    const found = await runOnce(plan, urls);
    const [base] = found;
    if (base === undefined) continue;
    series.forEach(({ samples }, at) => samples.push({ ...(found[at] ?? base), base }));
  }
  return series;
}

type Takeover = Omit<TakeoverSample, "base">;

/** All at the same time: only waiting is measured. */
async function runOnce(plan: TakeoverPlan, urls: readonly string[]): Promise<Takeover[]> {
  const children: Child[] = [];
  try {
    return await Promise.all(plan.clockStepsMs.map((ms) => replace(plan, urls, ms, children)));
  } finally {
    await Promise.all(children.map((child) => child[Symbol.asyncDispose]()));
  }
}

/** Kills two holders at once: one with a waiter for its name, and one whose name a new process then acquires. */
async function replace(
  { ttlMs, settleMs }: TakeoverPlan,
  urls: readonly string[],
  clockStepMs: number,
  children: Child[],
): Promise<Takeover> {
  const waitMs = settleMs + 2 * (ttlMs + clockStepMs);
  const ask = (child: Child, role: string): Promise<number> => {
    const name = `takeover:${role}:${clockStepMs}`;
    const asked: ContenderQuestion = { urls, name, ttlMs, clockStepMs, waitMs };
    return child.ask<number>(asked, waitMs + SPARE_MS);
  };
  const start = (what: string): Child => {
    const child = new Child(what, CONTENDER);
    children.push(child);
    return child;
  };
  const [first, second] = [start("holder"), start("holder")];
  await Promise.all([ask(first, "waiter"), ask(second, "newcomer")]);
  const waiting = ask(start("waiter"), "waiter");
  await sleep(settleMs);
  const killedMs = nowMs();
  await Promise.all([first, second].map((holder) => holder[Symbol.asyncDispose]()));
  const coming = ask(start("newcomer"), "newcomer");
  const [waiterAtMs, newcomerAtMs] = await Promise.all([waiting, coming]);
  return { waiterMs: waiterAtMs - killedMs, newcomerMs: newcomerAtMs - killedMs };
}
