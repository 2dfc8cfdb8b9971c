import type {
  DoctorSettings,
  FleetSeen,
  HostSeen,
  NodeSeen,
  ServerSeen,
} from "../../src/cli/doctor/seen.js";
import type { Sighting } from "../../src/protocol/quarantine.js";
import type { IncarnationRecord } from "../../src/protocol/record.js";
import { CAPABLE } from "./capable.js";

/** What the doctor may see of a healthy fleet, and of one with a change. */

export const NOW_MS = 1_800_000_000_000;

export const SETTINGS: DoctorSettings = {
  keyPrefix: "lock:",
  nodeTimeoutMs: 500,
  maxTtlMs: 60_000,
  firstTtlMs: 60_000,
  clockStepMs: 5_000,
  driftFactor: 0.01,
  allowEviction: false,
  isQuarantineOn: true,
};

export const HOST: HostSeen = { watchedMs: 3_000, wallGainMs: 1, stallMs: 20 };

export function server(index: number, changed: Partial<ServerSeen> = {}): ServerSeen {
  return {
    runId: `run ${index}`,
    flavour: "Redis",
    version: "7.4.1",
    replicaCount: 0,
    maxMemoryBytes: 0,
    usedMemoryBytes: 2_000_000,
    evictionPolicy: "noeviction",
    evictedKeyCount: 0,
    hasAof: false,
    appendFsync: "everysec",
    lastForkMs: 0,
    scriptMs: 0.1,
    idleTimeoutSeconds: 0,
    tcpKeepaliveSeconds: 300,
    latencySpikes: [],
    ...changed,
  };
}

export function sighting(index: number, changed: Partial<IncarnationRecord> = {}): Sighting {
  const record: IncarnationRecord = {
    ...{ id: `id ${index}`, runId: `run ${index}`, state: "open", fellows: "", topFence: 1 },
    ...{ writtenMs: NOW_MS - 5_000, writerMs: NOW_MS - 5_000, nodeCount: 3 },
    ...{
      maxTtlMs: 60_000,
      clockStepMs: 5_000,
      version: 1,
      capabilities: CAPABLE,
      nodeId: `node-${index}`,
      ...changed,
    },
  };
  return { ...unrecorded(), record };
}

export function unrecorded(): Sighting {
  return {
    ...{ record: undefined, nodeTimeMs: NOW_MS, sentSteadyMs: 0, seenSteadyMs: 1 },
    ...{ seenWallMs: NOW_MS, sawChange: false, ownSinceMs: undefined },
  };
}

export type Change = (index: number) => Partial<NodeSeen>;

export function node(index: number, change: Change): NodeSeen {
  return {
    ...{ node: `n${index}:6379`, redisCli: `redis-cli -h n${index} -p 6379`, kind: "server" },
    ...{ user: "locker" },
    ...{
      isDurable: false,
      isRunIdOptional: false,
      areScriptsAtomic: false,
      address: `10.0.0.${index}`,
      roundTripsMs: [0.4, 0.5, 2],
    },
    ...{ clock: { offsetMs: index, errorMs: 1 }, server: server(index), sighting: sighting(index) },
    ...{
      nodeList: "",
      lastNodeList: "",
      topFence: 1,
      floorFence: 0,
      problems: [],
      lockFailures: [],
    },
    ...change(index),
  };
}

export function fleet(change: Change = () => ({}), count = 3, host = HOST): FleetSeen {
  return { nodes: Array.from({ length: count }, (_, index) => node(index, change)), host };
}

/** Of the last node only. */
export const last =
  (changed: Partial<NodeSeen>): Change =>
  (index) =>
    index === 2 ? changed : {};

export const lastServer = (changed: Partial<ServerSeen>): Change =>
  last({ server: server(2, changed) });
export const lastRecord = (changed: Partial<IncarnationRecord>): Change =>
  last({ sighting: sighting(2, changed) });
