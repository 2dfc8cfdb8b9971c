import type { OracleId } from "../oracles/history.js";
import type { Scenario } from "../scenario.js";

/** The same world, in which the same services use a naive Redlock. */
export function naively(scenario: Scenario): Scenario {
  const clients = scenario.clients.map((client) => ({ ...client, code: "naive" as const }));
  return { ...scenario, clients };
}

/** What its description claims: one holder at a time, no longer than it has proof, and updates that are not lost. */
export const NAIVE_ORACLES: readonly OracleId[] = ["S1", "S3", "F3"];
