import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "./environment.js";
import { contendedReport } from "./contended/report.js";
import type { ContendedSeries } from "./contended/run-contention.js";
import { ratioTable, tables } from "./markdown.js";
import type { Plan } from "./plan.js";
import type { Ratio } from "./ratios.js";
import type { Series } from "./rounds.js";

export interface Results {
  readonly date: string;
  readonly environment: Environment;
  readonly plan: Plan;
  readonly series: readonly Series[];
  readonly ratios: readonly Ratio[];
  /** Empty where single cells were asked for. */
  readonly contended: readonly ContendedSeries[];
}

/** The report for people; the ratios come last. */
export function report({ date, environment, plan, series, ratios, contended }: Results): string {
  const { node, redis, os, cpu, packages } = environment;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return `## Lock cycles: acquire and release

${date.slice(0, 10)}; Node ${node}, Redis ${redis}, ${versions.join(", ")}; ${os}, ${cpu}.
Client and servers share the processor. Each of ${plan.rounds} rounds runs every subject for ${plan.measureMs} ms after
${plan.warmUpMs} ms of warm-up, in a process of its own. Median of the rounds (lowest to highest); CPU (all
nodes together) and commands are per cycle.

${tables(series)}
${ratioTable(ratios)}
${contended.length === 0 ? "" : contendedReport(plan.contention, contended)}`;
}

/** Writes `latest.json` and `latest.md`. */
export function writeResults(dir: string, results: Results): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "latest.json"), `${JSON.stringify(results, undefined, 1)}\n`);
  writeFileSync(join(dir, "latest.md"), report(results));
}
