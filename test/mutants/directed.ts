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
