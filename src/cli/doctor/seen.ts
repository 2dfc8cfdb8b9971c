import type { ConfigProblem, ConnectionFailure } from "../../channel/transport.js";
import type { ClockOffset } from "../../protocol/clock-offset.js";
import type { Sighting } from "../../protocol/incarnation.js";

/** What the doctor compares the nodes with: the options that locks are used with. Durations in ms. */
export interface DoctorSettings {
  readonly nodeTimeoutMs: number;
  readonly maxTtlMs: number;
  readonly clockStepMs: number;
  readonly driftFactor: number;
  readonly allowEviction: boolean;
  readonly isQuarantineOn: boolean;
}

/** What INFO and CONFIG GET say of a server. Undefined where it does not say, or we may not ask. */
export interface ServerSeen {
  readonly runId: string;
  readonly flavour: "Redis" | "Valkey" | "KeyDB" | "Dragonfly";
  readonly version: string;
  readonly replicaCount: number;
  readonly maxMemoryBytes: number;
  readonly usedMemoryBytes: number;
  readonly evictionPolicy: string;
  readonly evictedKeyCount: number;
  readonly hasAof: boolean;
  readonly appendFsync?: string | undefined;
  /** How long the last fork for persistence stopped it, ms. */
  readonly lastForkMs: number;
  /** Mean duration of a script call, ms. */
  readonly scriptMs?: number | undefined;
  /** After which it closes idle connections; 0 is never. */
  readonly idleTimeoutSeconds?: number | undefined;
  readonly tcpKeepaliveSeconds?: number | undefined;
  /** The longest of each kind that its latency monitor has seen, if that is on. */
  readonly latencySpikes?:
    | readonly { readonly event: string; readonly maxMs: number }[]
    | undefined;
}

/**
 * One part of what locks do on a node, which failed when it was tried.
 *
 * - `every`: every lock needs it
 * - `some`: only the locks named by `what` need it, and plain ones work without
 * - `speed`: it works without, but more slowly
 */
export interface LockFailure {
  readonly neededBy: "every" | "some" | "speed";
  /** What does not work: "shared locks". */
  readonly what: string;
  readonly message: string;
}

export interface NodeSeen {
  /** For people, without credentials: `host:port`. */
  readonly node: string;
  /** How to call this server's command line client, without credentials. */
  readonly redisCli: string;
  /** As whom it was connected to. */
  readonly user: string;
  readonly kind: "server" | "sentinel" | "cluster";
  readonly isDurable: boolean;
  /** Why it could not be examined; what had been found before that is there. */
  readonly failure?: ConnectionFailure | undefined;
  /** IP address that it was reached by. */
  readonly address?: string | undefined;
  /** Days until its certificate expires. */
  readonly certificateDaysLeft?: number | undefined;
  readonly roundTripsMs: readonly number[];
  readonly clock?: ClockOffset | undefined;
  readonly server?: ServerSeen | undefined;
  /** What a client finds wrong with it when it connects. */
  readonly problems: readonly ConfigProblem[];
  readonly lockFailures: readonly LockFailure[];
  /** Its record, for nodes that keep one. */
  readonly sighting?: Sighting | undefined;
}

/** The machine on which the doctor runs. */
export interface HostSeen {
  readonly watchedMs: number;
  /** By how much more the wall clock went on than the monotonic one, ms. */
  readonly wallGainMs: number;
  /** Longest time in which the event loop did not get to run, ms. */
  readonly stallMs: number;
}

export interface FleetSeen {
  readonly nodes: readonly NodeSeen[];
  readonly host: HostSeen;
}

/**
 * - `error`: the node does not vote, or locks are at risk
 * - `warning`: something will go wrong some day
 * - `note`: worth knowing
 */
export type Severity = (typeof SEVERITIES)[number];

export const SEVERITIES = ["error", "warning", "note"] as const;

/** What the doctor says. */
export interface Finding {
  readonly severity: Severity;
  /** The node it is about; without, it is about the fleet or this machine. */
  readonly node?: string;
  /** The same for all findings of a kind. */
  readonly code: string;
  readonly saw: string;
  /** What to do, with the command where there is one. */
  readonly change: string;
}
