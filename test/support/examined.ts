import { findingsOf } from "../../src/cli/doctor/findings.js";
import { probeFleet } from "../../src/cli/doctor/probe.js";
import type { Finding, FleetSeen } from "../../src/cli/doctor/seen.js";
import type { NodeConfig } from "../../src/index.js";
import { serverNodes } from "../../src/nodes/server-nodes.js";

const SETTINGS = {
  // A round trip of a quarter of it is slow: more than a machine takes that stands still for a moment.
  ...{
    nodeTimeoutMs: 20_000,
    maxTtlMs: 60_000,
    firstTtlMs: 60_000,
    clockStepMs: 5_000,
    driftFactor: 0.01,
  },
  ...{ allowEviction: false, isQuarantineOn: true, keyPrefix: "lock:", hostMs: 0 },
};

/**
 * What the doctor finds at the nodes, without watching this machine.
 *
 * @param timeoutMs of a connection
 */
export async function examined(
  nodes: readonly NodeConfig[],
  timeoutMs: number = SETTINGS.nodeTimeoutMs,
): Promise<{ readonly fleet: FleetSeen; readonly findings: readonly Finding[] }> {
  const settings = { ...SETTINGS, nodeTimeoutMs: timeoutMs };
  const seen = await probeFleet(serverNodes(nodes, timeoutMs), settings);
  const fleet = { ...seen, host: { watchedMs: 3_000, wallGainMs: 0, stallMs: 0 } };
  return { fleet, findings: findingsOf(fleet, settings) };
}
