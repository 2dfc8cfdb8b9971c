import type { LockLayout } from "../src/lock-layout.js";
import type { ForeignSettings } from "./foreign/settings.js";
import type { NetworkSettings } from "./link.js";

/** Everything about a run but its seed's decisions: plain JSON, so that it can be kept and shrunk. */
export interface Scenario {
  readonly seed: number;
  readonly profile: string;
  readonly nodeCount: number;
  readonly options: LockSettings;
  readonly network: NetworkSettings;
  readonly nodes: readonly NodeSettings[];
  readonly clients: readonly ClientSettings[];
  readonly workload: readonly Session[];
  /** Code that is not ours, on the same nodes and names. */
  readonly foreign?: readonly ForeignSettings[] | undefined;
  readonly faults: readonly Fault[];
  /** Faults and workload begin before this instant; healing comes at it, ms. */
  readonly chaosMs: number;
  /**
   * How the run ends after `chaosMs`. `all`: everything is healed, and what was given up must soon
   * be gone. `core`: only the nodes of `core` are, all others stay out of reach, and somebody must
   * get the lock.
   */
  readonly ending: "all" | "core";
  readonly core: readonly number[];
  /** By client and node: what the way between them adds to every delay, one way, µs. */
  readonly distancesUs?: readonly (readonly number[])[] | undefined;
}

/** The options of all locks and managers of a run. */
export interface LockSettings {
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  readonly nodeTimeoutMs: number;
  readonly driftFactor: number;
  readonly minValidityMs: number;
  readonly maxHoldMs: number | null;
  readonly renew: boolean;
  readonly fencing: boolean;
  readonly quarantine: boolean;
  readonly bootstrap: boolean;
  /** How many fences a node keeps: names share them if they are few. */
  readonly fenceBuckets: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** Between the holder's check and its write reaching the store, ms; 0 for the same instant. */
  readonly checkToWriteMs: number;
  /** The name stays closed for so long after a loss, ms. */
  readonly lockDelayMs?: number | undefined;
  /** The name stays closed for so long from the grant on, ms; well below every ttl. */
  readonly minHoldMs?: number | undefined;
  /** What a node's clock may gain on true time between two renewals, ms. */
  readonly clockStepMs?: number | undefined;
  /** The nodes stand for Clusters: those who wait look again by themselves. */
  readonly isDeaf?: boolean | undefined;
  /** How locks lie on the nodes; as Redlock has them if undefined. */
  readonly layout?: LockLayout | undefined;
  /** So many attempts of a process may be under way at once, where that is not as in production. */
  readonly window?: number | undefined;
  /** Nobody gets a name before those of its process who came earlier. */
  readonly fair?: boolean | undefined;
}

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
  /** So long it waits at its start until it can lock, ms. */
  readonly readyMs?: number | undefined;
  /** It uses a Redlock written from its description, and not a lock manager: for comparison. */
  readonly code?: "naive" | undefined;
  /** Where its locks are not as the others'. */
  readonly options?: Partial<LockSettings> | undefined;
}

/** One use of a lock by a client. */
export interface Session {
  readonly atMs: number;
  readonly client: number;
  readonly name: string;
  /** Further names that it wants together with that one, all or none. */
  readonly also?: readonly string[] | undefined;
  readonly waitMs: number;
  readonly holdMs: number;
  /** It only reads, beside others who do; alone if undefined. */
  readonly mode?: "shared" | undefined;
  /** In whose name it holds the lock; others may hold it for the same owner. */
  readonly owner?: string | undefined;
  /** While it holds it, it acquires and releases it once more for its owner. */
  readonly isNested?: boolean | undefined;
  /** In the midst of it the lock goes to these clients; at most one of them may get it. */
  readonly adopters?: readonly Adopter[] | undefined;
  /** Not a lock but an operator, who ends whatever there is. */
  readonly isForce?: boolean | undefined;
  /** Not a lock but a look at who holds the name. */
  readonly isLook?: boolean | undefined;
  /** It wants one of so many permits of a semaphore. */
  readonly permits?: number | undefined;
  /** It takes the name from whoever holds it. */
  readonly steal?: true | undefined;
  /** It uses the interface of redlock, not of a lock manager. */
  readonly dropIn?: DropInUse | undefined;
  /** It uses the lock in the callback of a request, which releases it. */
  readonly isRequest?: boolean | undefined;
  /** Accesses to the protected stores, spread over the hold. */
  readonly writeCount: number;
  readonly extendCount: number;
  /** The caller gives up waiting after this, ms. */
  readonly abortAfterMs?: number | undefined;
  /** So many more handles on the lock, each released by itself, some twice. */
  readonly joinCount?: number | undefined;
  /** Not a lock but an election: so many terms, each used as the lock would be. */
  readonly termCount?: number | undefined;
  /** `late`: long after the hold, lost or not. `atEnd`: held for as long as it can be. */
  readonly release: "once" | "twice" | "late" | "atEnd";
}

/** How a service uses the interface of redlock. */
export interface DropInUse {
  /** Of the lock, and of every extension, ms. */
  readonly durationMs: number;
  readonly retryCount: number;
  /** It calls `using`, which extends the lock so long before its end, ms. */
  readonly extendBeforeMs?: number | undefined;
}

/** Who adopts a lock, and how long after it was given away, ms. */
export interface Adopter {
  readonly client: number;
  readonly afterMs: number;
}

/** `client` counts the clients, and on behind them the processes of foreign code. */
export type Fault =
  | {
      readonly kind: "crash";
      atMs: number;
      node: number;
      /** What it has after the restart: everything, nothing, or what it had `lostMs` before. */
      mode: "persisted" | "amnesia" | "snapshot";
      forMs: number;
      readonly lostMs?: number | undefined;
    }
  | { readonly kind: "freeze"; atMs: number; node: number; forMs: number }
  | { readonly kind: "forget" | "scriptFlush"; atMs: number; node: number }
  | { readonly kind: "nodeJump"; atMs: number; node: number; byMs: number }
  | { readonly kind: "nodeRate"; atMs: number; node: number; ratePpm: number }
  | {
      readonly kind: "nodeErrors";
      atMs: number;
      node: number;
      forMs: number;
      perMille: number;
      scope: "operation" | "batch";
      /** Of single operations: only those about this name fail. */
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
  | { readonly kind: "pause" | "suspend"; atMs: number; client: number; forMs: number }
  | { readonly kind: "wallJump"; atMs: number; client: number; byMs: number }
  | { readonly kind: "kill"; atMs: number; client: number; forMs: number };
