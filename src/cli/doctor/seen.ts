import type { ConnectionFailure } from "../../channel/transport.js";
import type { ConfigProblem, Excuses } from "../../protocol/capabilities.js";
import type { ClockOffset } from "../../protocol/clock-offset.js";
import type { Sighting } from "../../protocol/quarantine.js";
import type { NodeFlags } from "../../redis/node-config.js";
import type { Spoken } from "./spoken.js";

/** What the doctor compares the nodes with: the options that locks are used with. Durations in ms. */
export interface DoctorSettings {
  readonly keyPrefix: string;
  readonly nodeTimeoutMs: number;
  /** As it is set; undefined where it is not, so that what is on record counts. */
  readonly maxTtlMs: number | undefined;
  /** With which the record of a new node begins. */
  readonly firstTtlMs: number;
  readonly clockStepMs: number;
  readonly driftFactor: number;
  readonly allowEviction: boolean;
  readonly isQuarantineOn: boolean;
}

/** What INFO and CONFIG GET report about a server. Undefined if it does not report it, or denies access. */
export interface ServerSeen {
  readonly runId: string;
  readonly flavour: "Redis" | "Valkey" | "KeyDB" | "Dragonfly" | "Garnet";
  readonly version: string;
  readonly replicaCount: number;
  readonly maxMemoryBytes: number;
  readonly usedMemoryBytes: number;
  readonly evictionPolicy: string;
  readonly evictedKeyCount: number;
  readonly hasAof: boolean;
  readonly appendFsync?: string | undefined;
  /** How long the last fork for persistence blocked it, ms. */
  readonly lastForkMs: number;
  /** Mean duration of a script call, ms. */
  readonly scriptMs?: number | undefined;
  /** It closes connections that are idle for this long; 0: never. */
  readonly idleTimeoutSeconds?: number | undefined;
  readonly tcpKeepaliveSeconds?: number | undefined;
  /** The longest latency of each kind that its latency monitor has seen, if that is on. */
  readonly latencySpikes?:
    | readonly { readonly event: string; readonly maxMs: number }[]
    | undefined;
}

/**
 * A part of locking that failed when it was tried on a node.
 *
 * - `every`: every lock needs it
 * - `some`: only the locks named by `what` need it; plain locks work without it
 * - `speed`: locks work without it, but more slowly
 */
export interface LockFailure {
  readonly neededBy: "every" | "some" | "speed";
  /** What does not work: "shared locks". */
  readonly what: string;
  readonly message: string;
}

/** In ms; the time by this machine's monotonic clock. */
export interface ClockRate {
  readonly advancedMs: number;
  readonly elapsedMs: number;
  /** Error bound in either direction. */
  readonly errorMs: number;
}

export interface NodeSeen extends NodeFlags {
  /** Name to display, without credentials: `host:port`. */
  readonly node: string;
  /** Command line of redis-cli for this server, without credentials. */
  readonly redisCli: string;
  /** The user of the connection. */
  readonly user: string;
  readonly kind: "server" | "sentinel" | "cluster";
  /** Why it could not be examined; what was found before that is included. */
  readonly failure?: ConnectionFailure | undefined;
  /** Whether its connections use TLS. */
  readonly isTls?: boolean | undefined;
  /** If it could not be reached: what its port speaks instead. */
  readonly spoken?: Spoken;
  /** The IP address of the connection. */
  readonly address?: string | undefined;
  /** Days until its certificate expires. */
  readonly certificateDaysLeft?: number | undefined;
  readonly roundTripsMs: readonly number[];
  readonly clock?: ClockOffset | undefined;
  /** How far its clock advanced within a time. */
  readonly rate?: ClockRate | undefined;
  readonly server?: ServerSeen | undefined;
  /** What a client objects to when it connects. */
  readonly problems: readonly ConfigProblem[];
  readonly lockFailures: readonly LockFailure[];
  /** The nodes of the clients of the key prefix, as it has them on record; "" where that is unknown. */
  readonly nodeList: string;
  /** The last on record, of clients of any key prefix; "" where that is unknown. */
  readonly lastNodeList: string;
  /** The highest fence on its record: of any name; 0 without one. */
  readonly topFence: number;
  /** The lowest that it may issue for any name; 0 without one. */
  readonly floorFence: number;
  /** Its record, for nodes that keep one. */
  readonly sighting?: Sighting | undefined;
}

/** Of a server that does not say which run it is: the id of its record, which is random. */
function identityOf({ server, sighting }: NodeSeen): string | undefined {
  return server?.runId || sighting?.record?.id;
}

/** The first of the nodes that has the same value as that one, if it is another and they have one. */
export function firstWith(
  of: (node: NodeSeen) => string | undefined,
  node: NodeSeen,
  nodes: readonly NodeSeen[],
): NodeSeen | undefined {
  const value = of(node);
  if (!value) return undefined;
  const first = nodes.find((each) => of(each) === value);
  return first === node ? undefined : first;
}

/** The same server, listed before the node, if it is. */
export function twinOf(node: NodeSeen, nodes: readonly NodeSeen[]): NodeSeen | undefined {
  return firstWith(identityOf, node, nodes);
}

/** What is no reason not to use the node. */
export function excusesOf(
  { isRunIdOptional, areScriptsAtomic }: NodeSeen,
  { allowEviction }: DoctorSettings,
): Excuses {
  return { isEvictionAllowed: allowEviction, isRunIdOptional, areScriptsAtomic };
}

/** The machine on which the doctor runs. */
export interface HostSeen {
  readonly watchedMs: number;
  /** How much further the wall clock advanced than the monotonic clock, ms. */
  readonly wallGainMs: number;
  /** Longest time in which the event loop did not run, ms. */
  readonly stallMs: number;
}

export interface FleetSeen {
  readonly nodes: readonly NodeSeen[];
  readonly host: HostSeen;
}

/**
 * - `error`: the node does not vote, or locks are at risk
 * - `warning`: something will go wrong eventually
 * - `note`: worth knowing
 */
export type Severity = (typeof SEVERITIES)[number];

export const SEVERITIES = ["error", "warning", "note"] as const;

/** One result of the doctor. */
export interface Finding {
  readonly severity: Severity;
  /** The node that it is about; undefined if it is about the fleet or this machine. */
  readonly node?: string;
  /** The same for all findings of a kind. */
  readonly code: string;
  readonly saw: string;
  /** What to do, with the command where there is one. */
  readonly change: string;
}
