import type { LockLayout } from "../src/protocol/lock-layout.js";
import type { ForeignSettings } from "./foreign/settings.js";
import type { NetworkSettings } from "./link.js";
import type { MixupKind } from "./sim-proxy.js";

/** Everything about a run except the decisions made by its seed: plain JSON, so that it can be saved and shrunk. */
export interface Scenario {
  readonly seed: number;
  readonly profile: string;
  readonly nodeCount: number;
  readonly options: LockSettings;
  readonly network: NetworkSettings;
  readonly nodes: readonly NodeSettings[];
  readonly clients: readonly ClientSettings[];
  readonly workload: readonly Session[];
  /** Foreign code on the same nodes and names. */
  readonly foreign?: readonly ForeignSettings[] | undefined;
  readonly faults: readonly Fault[];
  /** Faults and workload begin before this instant, healing at this instant, ms. */
  readonly chaosMs: number;
  /**
   * How the run ends after `chaosMs`. `all`: everything is healed, and everything released or left over must soon
   * be gone. `core`: only the nodes of `core` are healed, all others stay unreachable, and some client must get
   * the lock.
   */
  readonly ending: "all" | "core";
  readonly core: readonly number[];
  /** The list of nodes is changed meanwhile; without it, all clients use all nodes. */
  readonly nodeChanges?: NodeChanges | undefined;
  /** By client and node: what the path between them adds to every delay, one way, µs. */
  readonly distancesUs?: readonly (readonly number[])[] | undefined;
}

/** Nodes that are added or removed during the run. A list has the numbers of nodes. */
export interface NodeChanges {
  /** All clients begin with it. */
  readonly first: readonly number[];
  readonly changes: readonly NodeChange[];
}

/** Another list, which replaces the one before client by client. */
export interface NodeChange {
  /** It begins then, if the one before is over, ms. */
  readonly atMs: number;
  readonly nodes: readonly number[];
  /** By client: how long after that a process with the new list replaces the old one, ms. */
  readonly afterMs: readonly number[];
  /** By client: the old process is killed, and not closed. */
  readonly isKilled: readonly boolean[];
  /** From the end of the last process with the old list until that is deleted, ms. */
  readonly waitMs: number;
}

/** The options of all locks and managers of a run. */
export interface LockSettings {
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  readonly nodeTimeoutMs: number;
  readonly driftFactor: number;
  readonly maxHoldMs: number | null;
  readonly renew: boolean;
  readonly quarantine: boolean;
  readonly bootstrap: boolean;
  /** How many fences a node keeps: names share them if there are only a few. */
  readonly fenceBuckets: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** Time from the holder's check until its write reaches the store, ms; 0 for the same instant. */
  readonly checkToWriteMs: number;
  /** How long the name stays closed after a loss, ms. */
  readonly lockDelayMs?: number | undefined;
  /** How long the name stays closed after the grant, ms; well below every ttl. */
  readonly minHoldMs?: number | undefined;
  /** How much a node's clock may gain on true time between two renewals, ms. */
  readonly clockStepMs?: number | undefined;
  /** The nodes stand for Redis Clusters: waiters poll. */
  readonly isDeaf?: boolean | undefined;
  /** How locks are stored on the nodes; like Redlock if undefined. */
  readonly layout?: LockLayout | undefined;
  /** How many attempts of a process may be under way at once, if not as in production. */
  readonly window?: number | undefined;
  /** Within a process, earlier callers get a name first. */
  readonly fair?: boolean | undefined;
  /** The client sets no `maxTtlMs` of its own: it takes that of the nodes' records. */
  readonly takesRecordedTtl?: boolean | undefined;
}

/** Options of one request, where they differ from those of its process. */
export type RequestSettings = Partial<
  Pick<LockSettings, "ttlMs" | "fair" | "renew" | "minHoldMs"> & {
    /** It does not begin to wait where so many do. */
    readonly maxWaiters: number;
  }
>;

export interface NodeSettings {
  readonly wallOffsetMs: number;
  readonly ratePpm: number;
  /** Every write is on disk before it is answered. */
  readonly isDurable: boolean;
}

export interface ClientSettings {
  readonly wallOffsetMs: number;
  readonly steadyPpm: number;
  readonly wallPpm: number;
  /** When its process starts, ms. */
  readonly startMs: number;
  /** How long it waits at its start until it can lock, ms. */
  readonly readyMs?: number | undefined;
  /** It uses a Redlock written from its description instead of a lock manager, for comparison. */
  readonly code?: "naive" | undefined;
  /** Options of its locks that differ from the others'. */
  readonly options?: Partial<LockSettings> | undefined;
}

/** One use of a lock by a client. */
export interface Session {
  readonly atMs: number;
  readonly client: number;
  readonly name: string;
  /** Further names it wants together with that one, all or none. */
  readonly also?: readonly string[] | undefined;
  readonly waitMs: number;
  readonly holdMs: number;
  readonly options?: RequestSettings | undefined;
  /** A reader, which shares the name with other readers; exclusive if undefined. */
  readonly mode?: "shared" | undefined;
  /** The owner in whose name it holds the lock; others may hold it for the same owner. */
  readonly owner?: string | undefined;
  /** While it holds the lock, it acquires and releases it once more for its owner. */
  readonly isNested?: boolean | undefined;
  /** Halfway through, it gives the lock to these clients; at most one of them may get it. */
  readonly adopters?: readonly Adopter[] | undefined;
  /** Not a lock but an operator that forces the release of any lock there is. */
  readonly isForce?: boolean | undefined;
  /** Not a lock but a query for who holds the name. */
  readonly isLook?: boolean | undefined;
  /** Not a lock but somebody who observes the name for so long, and is busy for a while with each thing that it is shown, ms. */
  readonly observe?: { readonly forMs: number; readonly sleepMs: number } | undefined;
  /** Not a lock but somebody who resizes the semaphore to so many permits. */
  readonly resizeTo?: number | undefined;
  /** Not a lock but somebody who asks how many permits are available. */
  readonly isCounting?: boolean | undefined;
  /** Of an election: how often a leader says something else of itself in its term. */
  readonly proclaimCount?: number | undefined;
  /** It wants a permit of a semaphore with that many permits. */
  readonly permits?: number | undefined;
  /** How many of them it wants together; one if undefined. */
  readonly takes?: number | undefined;
  /** It steals the name from any holder. */
  readonly steal?: true | undefined;
  /** It uses the interface of redlock instead of a lock manager. */
  readonly dropIn?: DropInUse | undefined;
  /** It uses the lock in the callback of a request, which releases it. */
  readonly isRequest?: boolean | undefined;
  /** Accesses to the protected stores, spread over the hold. */
  readonly writeCount: number;
  readonly extendCount: number;
  /** How long it is to last from each of them on, ms; its ttl where there is none. */
  readonly extendToMs?: readonly number[] | undefined;
  /** The caller gives up waiting after this time, ms. */
  readonly abortAfterMs?: number | undefined;
  /** That many additional handles on the lock, each released separately, some twice. */
  readonly joinCount?: number | undefined;
  /** Not a lock but an election: that many terms, each used as the lock would be. */
  readonly termCount?: number | undefined;
  /** `late`: long after the hold, lost or not. `atEnd`: held for as long as possible. */
  readonly release: "once" | "twice" | "late" | "atEnd";
}

/** How a service uses the interface of redlock. */
export interface DropInUse {
  /** Duration of the lock and of every extension, ms. */
  readonly durationMs: number;
  readonly retryCount: number;
  /** It calls `using`, which extends the lock this long before its end, ms. */
  readonly extendBeforeMs?: number | undefined;
}

/** A client that adopts a lock, and how long after it was given away, ms. */
export interface Adopter {
  readonly client: number;
  readonly afterMs: number;
}

/** `client` counts the clients first, then the processes of foreign code. */
export type Fault =
  | {
      readonly kind: "crash";
      atMs: number;
      node: number;
      /** What it has after the restart: everything, nothing, or its state of `lostMs` before. */
      mode: "persisted" | "amnesia" | "snapshot";
      forMs: number;
      readonly lostMs?: number | undefined;
    }
  | { readonly kind: "freeze"; atMs: number; node: number; forMs: number }
  | { readonly kind: "forget" | "scriptFlush"; atMs: number; node: number }
  /** Somebody writes to all who listen there, so many times, that all locks on the node have ended. */
  | { readonly kind: "forge"; atMs: number; node: number; readonly count: number }
  /** What it publishes reaches those who listen now through a replica, unknown to it. */
  | { readonly kind: "relay"; atMs: number; node: number; forMs: number }
  | { readonly kind: "nodeJump"; atMs: number; node: number; byMs: number }
  | { readonly kind: "nodeRate"; atMs: number; node: number; ratePpm: number }
  /** Every fence that it answers with, or has as its highest, is this one. */
  | { readonly kind: "nodeLies"; atMs: number; node: number; forMs: number; fence: number }
  | {
      readonly kind: "nodeErrors";
      atMs: number;
      node: number;
      forMs: number;
      perMille: number;
      scope: "operation" | "batch";
      /** Single operations only: only those on this name fail. */
      readonly name?: string | undefined;
    }
  | {
      readonly kind: "partition" | "hold";
      atMs: number;
      client: number;
      node: number;
      way: "toNode" | "toClient" | "both";
      forMs: number;
    }
  | { readonly kind: "reset"; atMs: number; client: number; node: number }
  | {
      /** What stands between the two mixes up replies. */
      readonly kind: "mixup";
      atMs: number;
      client: number;
      node: number;
      forMs: number;
      readonly how: MixupKind;
      /** Replies that this happens to. */
      perMille: number;
      /** `early`: how many replies to earlier requests come before one. */
      readonly count: number;
    }
  | { readonly kind: "pause" | "suspend"; atMs: number; client: number; forMs: number }
  | { readonly kind: "wallJump"; atMs: number; client: number; byMs: number }
  | { readonly kind: "kill"; atMs: number; client: number; forMs: number };
