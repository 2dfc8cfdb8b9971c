import { recordedTtlMs } from "../../channel/longest-ttl.js";
import { isExcused } from "../../protocol/capabilities.js";
import { ageByClocksMs, isTrusted, oldAgeMs } from "../../protocol/quarantine.js";
import { outwaitMs } from "../../protocol/lease-times.js";
import { judgeFence } from "../../protocol/fencing.js";
import { excusesOf, twinOf, type DoctorSettings, type FleetSeen, type NodeSeen } from "./seen.js";

/**
 * Whether a node's votes count, as far as its record shows.
 *
 * - `votes`: they do
 * - `new`: no node has a record, or quarantine is off: the first client initializes it
 * - `waits`: the same, but for nodes that could not be examined, without which no deployment is new
 * - `quarantined`: it lost its data, or may have lost it
 * - `unkept`: a Cluster, which keeps no record
 * - `no`: it could not be reached, must not vote, is listed twice, or all its votes have an absurd fence
 */
export type Standing =
  | { readonly state: "votes" | "new" | "waits" | "unkept" | "no" }
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
  if (twinOf(node, nodes) !== undefined) return { state: "no" };
  const excuses = excusesOf(node, settings);
  if (node.problems.some((problem) => !isExcused(problem, excuses))) return { state: "no" };
  if (node.kind === "cluster") return { state: "unkept" };
  if (sighting === undefined || isAbsurd(node.floorFence, node, nodes)) return { state: "no" };
  const { record } = sighting;
  const maxTtlMs = longestTtlMs(nodes, settings);
  const lengthMs = quarantineMs(nodes, settings);
  if (record === undefined) {
    const others = nodes.filter(({ kind }) => kind !== "cluster");
    const isPast = others.some((each) => each.sighting?.record !== undefined);
    const areAllSeen = others.every((each) => each.sighting !== undefined);
    if (!settings.isQuarantineOn || (!isPast && areAllSeen)) return { state: "new" };
    if (!isPast) return { state: "waits" };
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
  const oldMs = oldAgeMs(maxTtlMs, settings.driftFactor, clockStepMs);
  const isOld = ageByClocksMs(sighting) >= oldMs;
  if (isTrusted(sighting) || isOld) return { state: "votes" };
  const ageMs = Math.max(0, Math.min(sighting.nodeTimeMs - record.writtenMs, lengthMs));
  const saw = `it is new, restarted or lost its data ${seconds(ageMs)} ago, and votes in about ${seconds(lengthMs - ageMs)}`;
  return { state: "quarantined", saw, change: DURABLE };
}

/** Whether clients would reject its votes with that fence; see `PlausibleVotes`. */
export function isAbsurd(
  fence: number,
  { sighting }: NodeSeen,
  nodes: readonly NodeSeen[],
): boolean {
  const timesMs = nodes.flatMap((each) => each.sighting?.nodeTimeMs ?? []);
  const wallUs = (sighting?.seenWallMs ?? 0) * 1_000;
  return judgeFence(fence, wallUs, { timesMs }, nodes.length) === "implausible";
}

/** How long a node is quarantined that nothing is known of, ms. */
export function quarantineMs(nodes: readonly NodeSeen[], settings: DoctorSettings): number {
  return outwaitMs(longestTtlMs(nodes, settings), settings.driftFactor);
}

/** The longest of any client, as far as records show. */
function longestTtlMs(
  nodes: readonly NodeSeen[],
  { maxTtlMs, firstTtlMs }: DoctorSettings,
): number {
  const recorded = nodes.flatMap(({ sighting }) => sighting?.record?.maxTtlMs ?? []);
  return Math.max(maxTtlMs ?? (recorded.length === 0 ? firstTtlMs : 0), ...recorded);
}

/** The longest of a client with these settings. */
export function ownTtlMs(
  nodes: readonly NodeSeen[],
  { maxTtlMs, firstTtlMs }: DoctorSettings,
): number {
  return maxTtlMs ?? recordedTtlMs(nodes.map(({ sighting }) => sighting)) ?? firstTtlMs;
}

export function seconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}
