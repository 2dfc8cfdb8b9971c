import type { ClientOptions } from "./client-options.js";
import type { Job } from "./job.js";
import { scenarioOf } from "./scenarios/index.js";
import type { Scenario } from "./scenarios/scenario.js";
import { subjectEntry, type SubjectId } from "./subjects/index.js";

/** Timeout on the commands of the peers' clients, in the variant that has one, ms. */
export const COMMAND_TIMEOUT_MS = 500;

/** What to run; by default everything. */
export interface Plan {
  readonly scenarios: readonly Scenario[];
  readonly subjectIds: readonly SubjectId[];
  /** Replaces the ttl of the rows; there are no variants then. */
  readonly ttlMs: number | undefined;
  readonly clientOptions: ClientOptions | undefined;
}

type Settings = Pick<Job, "variant" | "ttlMs" | "clientOptions">;

/** The runs of a plan, in the order of the table. */
export function jobsOf(plan: Plan): Job[] {
  return plan.scenarios.flatMap((scenario) =>
    plan.subjectIds.flatMap((subjectId) =>
      settingsOf(plan, scenario, subjectId).map((settings): Job => ({
        scenarioId: scenario.id,
        subjectId,
        ...settings,
      })),
    ),
  );
}

function settingsOf(plan: Plan, scenario: Scenario, subjectId: SubjectId): Settings[] {
  const usual: Settings = {
    variant: "usual",
    ttlMs: plan.ttlMs ?? scenario.ttlMs,
    clientOptions: plan.clientOptions ?? {},
  };
  if (plan.ttlMs !== undefined || plan.clientOptions !== undefined) return [usual];
  const { defaultTtlMs, hasOwnConnections } = subjectEntry(subjectId);
  const all = [usual];
  if (scenario.isTtlSensitive === true && (defaultTtlMs ?? usual.ttlMs) !== usual.ttlMs) {
    all.push({ ...usual, variant: "default ttl", ttlMs: defaultTtlMs ?? usual.ttlMs });
  }
  if (scenario.isClientSensitive === true && !hasOwnConnections) {
    const clientOptions = { commandTimeout: COMMAND_TIMEOUT_MS };
    all.push({ ...usual, variant: "command timeout", clientOptions });
  }
  return all;
}

/** Jobs that may run in parallel, longest first, and those that may not. */
export function inTurns(jobs: readonly Job[]): { shared: Job[]; alone: Job[] } {
  const isAlone = (job: Job): boolean => scenarioOf(job.scenarioId).isAlone === true;
  const limitMs = (job: Job): number => scenarioOf(job.scenarioId).limitMs(job.ttlMs);
  return {
    shared: jobs.filter((job) => !isAlone(job)).toSorted((a, b) => limitMs(b) - limitMs(a)),
    alone: jobs.filter(isAlone),
  };
}
