import { plainScenario, session } from "../support/sim/plain-scenario.js";
import type { ClientSettings, NodeSettings, Scenario } from "../../sim/scenario.js";

/** The scenario with other settings for its clients, in order. */
export function withClients(
  scenario: Scenario,
  ...settings: readonly Partial<ClientSettings>[]
): Scenario {
  const clients = scenario.clients.map((client, index) => {
    return { ...client, ...settings[index] };
  });
  return { ...scenario, clients };
}

/** The scenario with wall clocks of its nodes that are off by so much, in order, ms. */
export function withNodesOff(scenario: Scenario, ...wallOffsetsMs: readonly number[]): Scenario {
  const nodes = scenario.nodes.map((node, index): NodeSettings => {
    return { ...node, wallOffsetMs: wallOffsetsMs[index] ?? 0 };
  });
  return { ...scenario, nodes };
}

/** All nodes forget; a client comes next whose clock is far behind. */
export const BEHIND_AFTER_FORGETTING: Scenario = withClients(
  plainScenario({
    clients: 2,
    workload: [
      session({ atMs: 1_000, client: 0 }),
      session({ atMs: 3_000, client: 1, waitMs: 2_000 }),
    ],
    faults: [0, 1, 2].map((node) => ({ kind: "forget", atMs: 1_500, node }) as const),
    chaosMs: 5_500,
  }),
  { wallOffsetMs: 0 },
  { wallOffsetMs: -60_000 },
);

/** The replies to a client that asks for a held name are those that its holder got. */
export const REPLIES_OF_THE_HOLDER: Scenario = plainScenario({
  clients: 2,
  options: { ttlMs: 5_000, maxTtlMs: 5_000, quarantine: false },
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 1_000 }),
    session({ atMs: 1_300, client: 1, holdMs: 200 }),
  ],
  faults: [0, 1, 2].map((node) => {
    const when = { client: 1, node, atMs: 1_250, forMs: 500 };
    return { kind: "mixup", ...when, how: "another's", perMille: 1_000, count: 1 } as const;
  }),
  chaosMs: 2_500,
});
