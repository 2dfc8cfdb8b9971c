import { isExcused } from "../../protocol/capabilities.js";
import { isOldByClocks, isTrusted } from "../../protocol/incarnation.js";
import { outwaitMs } from "../../protocol/validity.js";
import { excusesOf, type DoctorSettings, type FleetSeen, type NodeSeen } from "./seen.js";

/**
 * Whether a node's votes count, as far as its record shows.
 *
 * - `votes`: they do
 * - `new`: no node has a record, or quarantine is off: the first client initializes it
 * - `quarantined`: it lost its data, or may have lost it
 * - `unkept`: a Cluster, which keeps no record
 * - `no`: it could not be reached, or must not vote
 */
export type Standing =
  | { readonly state: "votes" | "new" | "unkept" | "no" }
  | { readonly state: "quarantined"; readonly saw: string; readonly change: string };

/** Standings of nodes that vote. */
export const VOTING: ReadonlySet<Standing["state"]> = new Set(["votes", "new", "unkept"]);

const DURABLE =
  "to avoid it next time: `durable: true` with appendfsync always, or a smaller `maxTtlMs`";

export function standingOf(
  node: NodeSeen,
  { nodes }: FleetSeen,
  settings: DoctorSettings,
): Standing {
  const { sighting, server } = node;
  const isUnfit = node.lockFailures.some(({ neededBy }) => neededBy === "every");
  if (node.failure !== undefined || isUnfit) return { state: "no" };
  const excuses = excusesOf(node, settings);
  if (node.problems.some((problem) => !isExcused(problem, excuses))) return { state: "no" };
  if (node.kind === "cluster") return { state: "unkept" };
  if (sighting === undefined) return { state: "no" };
  const { record } = sighting;
  const maxTtlMs = Math.max(
    settings.maxTtlMs,
    ...nodes.map((each) => each.sighting?.record?.maxTtlMs ?? 0),
  );
  const lengthMs = outwaitMs(maxTtlMs, settings.driftFactor);
  if (record === undefined) {
    const isNew = nodes.every(
      (each) => each.sighting !== undefined && each.sighting.record === undefined,
    );
    if (isNew || !settings.isQuarantineOn) return { state: "new" };
    const saw = `it has no record, but others have: the next client quarantines it for ${seconds(lengthMs)}`;
    return {
      state: "quarantined",
      saw,
      change: "nothing, if it is new or was flushed; after that it votes",
    };
  }
  if (!settings.isQuarantineOn) return { state: "votes" };
  if (record.runId !== server?.runId && !node.isDurable) {
    const saw = `it restarted since a client last saw it: the next client quarantines it for ${seconds(lengthMs)}`;
    return { state: "quarantined", saw, change: DURABLE };
  }
  const clockStepMs = Math.max(settings.clockStepMs, record.clockStepMs);
  const isOld = isOldByClocks(sighting, maxTtlMs, settings.driftFactor, clockStepMs);
  if (isTrusted(sighting) || isOld) return { state: "votes" };
  const ageMs = Math.max(0, Math.min(sighting.nodeTimeMs - record.writtenMs, lengthMs));
  const saw = `it restarted or lost its data ${seconds(ageMs)} ago, and votes in about ${seconds(lengthMs - ageMs)}`;
  return { state: "quarantined", saw, change: DURABLE };
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}
