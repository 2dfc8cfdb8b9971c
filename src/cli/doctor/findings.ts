import { FLEET_CHECKS } from "./fleet-checks.js";
import { NODE_CHECKS } from "./node-checks.js";
import { SEVERITIES, type DoctorSettings, type Finding, type FleetSeen } from "./seen.js";

/** What is wrong with a fleet, and what to change; the worst first, otherwise in the order of the nodes. */
export function findingsOf(fleet: FleetSeen, settings: DoctorSettings): readonly Finding[] {
  const found = [
    ...fleet.nodes.flatMap((node) =>
      NODE_CHECKS.flatMap((check) => check(node, settings, fleet.host)),
    ),
    ...FLEET_CHECKS.flatMap((check) => check(fleet, settings)),
  ];
  const order = ({ node }: Finding): number => {
    const index = fleet.nodes.findIndex((each) => each.node === node);
    return index === -1 ? fleet.nodes.length : index;
  };
  return found.toSorted((a, b) => {
    const bySeverity = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);
    return bySeverity === 0 ? order(a) - order(b) : bySeverity;
  });
}
