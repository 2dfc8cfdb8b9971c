// Long because it has the shape of each event, which all oracles share.
/**
 * What a run leaves behind, as the oracles read it: plain data in order of true time, made by the
 * simulator or by a recorder around real nodes. Instants in true microseconds end in `Us`.
 */

/** What the oracles must know of how the run was configured. */
export interface HistorySettings {
  readonly nodeCount: number;
  readonly driftFactor: number;
  /** The longest lease in use, ms: the quarantine of a node that nobody opened. */
  readonly maxTtlMs: number;
  /** How late a timer may fire on an idle process, µs. */
  readonly timerSlopUs: number;
  /** How long after the end of validity a loss may be told: what clocks at two rates come to. */
  readonly lossSlopUs: number;
  /** So few attempts of a process may be under way that others end without having been made. */
  readonly isNarrow?: boolean;
  /** How much a process's monotonic clock may run ahead of true time, parts per million. */
  readonly steadyPpm: number;
}

export interface History {
  readonly settings: HistorySettings;
  readonly events: readonly HistoryEvent[];
}

export type OperationName =
  | ("acquire" | "seal" | "extend" | "heal" | "release" | "leave")
  | ("refresh" | "inspect" | "revoke");

/** One operation handed to one node's channel. All of one round have the same round number. */
export interface SendEvent {
  readonly kind: "send";
  readonly atUs: number;
  readonly process: string;
  readonly node: number;
  readonly round: number;
  readonly op: OperationName;
  readonly name: string;
  readonly ownerId: string;
  readonly ttlMs: number;
  readonly fence: number | undefined;
  /** Of an acquire that gets the name only where its owner has it. */
  readonly isAgain?: boolean | undefined;
  /** Of an acquire that is a hand-over: whose lock it takes over. */
  readonly previous?: string | undefined;
  /** Of an acquire that takes the name from whoever holds it. */
  readonly isPreempting?: boolean | undefined;
  /** Of an acquire that wants the name beside others. */
  readonly mode?: "shared" | undefined;
  /** For whose caller, if it is not the lock manager's. */
  readonly via?: "redlock" | undefined;
  /** The sender's lease clock. */
  readonly leaseMs: number;
}

/** A node's answer, when it reached the coordinator. */
export interface VoteEvent {
  readonly kind: "vote";
  readonly atUs: number;
  readonly process: string;
  readonly node: number;
  readonly round: number;
  readonly op: OperationName;
  readonly name: string;
  readonly ownerId: string;
  readonly vote: "granted" | "refused" | "fault";
  /** The node's fence with a granted acquire or seal. */
  readonly fence: number;
  /** What kind of fault, where the recorder tells. */
  readonly fault?: string | undefined;
  /** Of a fault: whether the operation may have been executed. */
  readonly sent?: boolean | undefined;
  /** Of a refusal: the name is held in another layout, or the key is somebody's data. */
  readonly isForeign?: boolean | undefined;
  /** Of a refused heal: an operator has ended the lock. */
  readonly isEnded?: boolean | undefined;
}

/** A lock was granted: belief begins. */
export interface GrantEvent {
  readonly kind: "grant";
  readonly atUs: number;
  readonly process: string;
  readonly name: string;
  readonly ownerId: string;
  readonly token: number | undefined;
  /** Others may believe too, all of them shared; exclusive if undefined. */
  readonly mode?: "shared" | undefined;
  /** Others may believe too, all of them for this owner. */
  readonly owner?: string | undefined;
  /** Of a permit: how many there are of its semaphore. */
  readonly permits?: number | undefined;
  readonly ttlMs: number;
  /** How long the name is to stay closed after a loss, ms; 0 if undefined. */
  readonly lockDelayMs?: number | undefined;
  /** How long the name is to stay closed from now on, ms; 0 if undefined. */
  readonly minHoldMs?: number | undefined;
  readonly leaseMs: number;
  readonly validUntilMs: number;
  /** True instant at which the holder's lease clock will show `validUntilMs`, if nothing disturbs it. */
  readonly untilUs: number;
}

/** The validity of a held lock changed. */
export interface ValidityEvent {
  readonly kind: "validity";
  readonly atUs: number;
  readonly process: string;
  readonly name: string;
  readonly ownerId: string;
  readonly ttlMs: number;
  readonly leaseMs: number;
  readonly validUntilMs: number;
  readonly untilUs: number;
}

/**
 * Belief ended: the release was called, the loss was told, the lease clock reached `validUntil`
 * (whether or not anybody noticed), the process died, or the lock was given away for another process
 * to adopt.
 */
export interface EndEvent {
  readonly kind: "end";
  readonly atUs: number;
  readonly process: string;
  readonly name: string;
  readonly ownerId: string;
  readonly why: "released" | "lost" | "expired" | "crashed" | "given";
}

/** The holder was told that its lock is lost. */
export interface LostEvent {
  readonly kind: "lost";
  readonly atUs: number;
  readonly process: string;
  readonly name: string;
  readonly ownerId: string;
  readonly reason: string;
}

/** The holder asked whether it holds the lock, and was told yes. */
export interface CheckEvent {
  readonly kind: "check";
  readonly atUs: number;
  readonly process: string;
  readonly name: string;
  readonly ownerId: string;
}

/** Its holder is not told of a loss: it reads when the lock ends. */
export interface UnwatchedEvent {
  readonly kind: "unwatched";
  readonly atUs: number;
  readonly process: string;
  readonly name: string;
  readonly ownerId: string;
}

/** Of a lock with several handles: one more, or the release of one. */
export interface HandleEvent {
  readonly kind: "handle";
  readonly atUs: number;
  readonly process: string;
  readonly name: string;
  readonly ownerId: string;
  readonly handle: number;
  readonly what: "join" | "leave";
  /** What the handle says right after. */
  readonly isHeld: boolean;
}

/** A call of the public face. */
export interface CallEvent {
  readonly kind: "call";
  readonly atUs: number;
  readonly process: string;
  readonly call: number;
  readonly what: "acquire" | "extend" | "release" | "adopt" | "force" | "query" | "ready";
  readonly name: string;
  /** Of extend and release; of an adoption who gave the lock away. */
  readonly ownerId: string | undefined;
  /** Of an acquire that must not come before those who came earlier. */
  readonly isFair?: boolean | undefined;
  /** By which interface, if it is not the lock manager's. */
  readonly via?: "redlock" | undefined;
  /** Of an acquire: how long it may wait, ms; 0 for one attempt. */
  readonly waitMs?: number | undefined;
  /** Of an acquire that wants the name beside others. */
  readonly mode?: "shared" | undefined;
  /** Of an acquire for a named owner. */
  readonly owner?: string | undefined;
  /** Within which it promises to settle, ms of the process's monotonic clock. */
  readonly withinMs: number;
  readonly steadyMs: number;
}

export interface SettleEvent {
  readonly kind: "settle";
  readonly atUs: number;
  readonly process: string;
  readonly call: number;
  readonly result: string;
  readonly steadyMs: number;
}

/**
 * A lock key on a node changed. With `forget` and an owner `after`, an older state of the node came
 * back in a restart: that key means nothing any more, and dies with its ttl. Readers stand beside each
 * other: with the mode `shared` an event is about one of them, and tells nothing of others. So do the
 * holds of a named owner.
 */
export interface KeyEvent {
  readonly kind: "key";
  readonly atUs: number;
  readonly node: number;
  readonly name: string;
  readonly mode?: "shared" | undefined;
  readonly owner?: string | undefined;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Whose operation did it; undefined for an expiry and for a node that forgot. */
  readonly by: string | undefined;
  /**
   * `foreign`: code that is not ours, by a command of its own. `overdue`: somebody had seen by a clock of its own that
   * it was not renewed any more.
   */
  readonly op: OperationName | "expire" | "overdue" | "forget" | "foreign";
  /** Of foreign code: by its own rules it had no right to take the name from who stood there. */
  readonly isTrespass?: boolean | undefined;
  /** True instant at which the key will be dead, if nothing disturbs it. */
  readonly deadUs: number;
}

/**
 * The place of a process in the queue of a name on a node was written (`stands`), has been removed (`gone`), or what
 * became free is kept for it (`kept`). `passed`: it was written and removed in one step.
 */
export interface PlaceEvent {
  readonly kind: "place";
  readonly atUs: number;
  readonly node: number;
  readonly name: string;
  readonly process: string;
  /** The name as a whole, beside other readers, or any permit. */
  readonly wants: "" | "r" | "s";
  readonly what: "stands" | "gone" | "kept" | "passed";
  /** As with a key. */
  readonly by: string | undefined;
  readonly op: KeyEvent["op"];
}

/** How many holds of an owner a node counts, after a step that changed them. */
export interface CountEvent {
  readonly kind: "count";
  readonly atUs: number;
  readonly node: number;
  readonly name: string;
  readonly owner: string;
  readonly count: number;
}

/** Whether there is (or could start) a client for which this node's acquire votes count. */
export interface EligibleEvent {
  readonly kind: "eligible";
  readonly atUs: number;
  readonly node: number;
  readonly isEligible: boolean;
}

export interface NodeEvent {
  readonly kind: "node";
  readonly atUs: number;
  readonly node: number;
  readonly what:
    | ("crash" | "restart" | "freeze" | "thaw" | "forget" | "scriptFlush")
    | ("jump" | "rate" | "errors" | "calm")
    /** Out of everybody's reach until all is calm. */
    | "isolate";
  /** Of `errors` and `calm`: the only name that they are about. */
  readonly name?: string | undefined;
}

export interface ProcessEvent {
  readonly kind: "process";
  readonly atUs: number;
  readonly process: string;
  readonly what:
    | ("start" | "pause" | "resume" | "suspend" | "wake" | "jump" | "crash")
    | ("closing" | "closed");
}

/** What a closed process still had: timers armed, calls not settled. */
export interface RemainsEvent {
  readonly kind: "remains";
  readonly atUs: number;
  readonly process: string;
  readonly timerCount: number;
  readonly openCallCount: number;
}

/** One access to a store that the lock protects. */
export interface StoreEvent {
  readonly kind: "store";
  readonly atUs: number;
  readonly process: string;
  readonly store: "fenced" | "unfenced";
  readonly name: string;
  readonly ownerId: string;
  readonly token: number | undefined;
  readonly what: "read" | "write" | "reject";
  /** Version read, or the version that the write was made from. */
  readonly base: number;
}

/** An operator has ended locks by force. */
export interface ForceEvent {
  readonly kind: "force";
  readonly atUs: number;
  readonly process: string;
  readonly name: string;
  readonly ownerIds: readonly string[];
  /** A quorum of nodes has let go of them, and remembers it. */
  readonly isQuorate: boolean;
}

/**
 * Code that is not ours, beside ours: it holds a lock by its own rules (`grant`), holds it for longer
 * (`renewed`), has stopped to (`end`), was refused, or was told that the lock may be free (`woken`).
 */
export interface ForeignEvent {
  readonly kind: "foreign";
  readonly atUs: number;
  readonly process: string;
  readonly name: string;
  readonly ownerId: string;
  readonly what: "grant" | "renewed" | "end" | "refused" | "woken";
}

/** What a look at a name has told. */
export interface ReportEvent {
  readonly kind: "report";
  readonly atUs: number;
  readonly process: string;
  readonly name: string;
  /** When it began. */
  readonly sinceUs: number;
  readonly state: "held" | "free" | "undecided";
  /** Those who were ever seen in a key; a permit has a name of its own. */
  readonly holders: readonly {
    readonly name: string;
    readonly ownerId: string;
    readonly nodes: readonly number[];
    readonly remainingMs: number;
  }[];
  readonly freeNodes: readonly number[];
}

/** What a process was told that asked whether its lock manager is ready. */
export interface ReadinessEvent {
  readonly kind: "readiness";
  readonly atUs: number;
  readonly process: string;
  readonly isReady: boolean;
  /** Of the nodes, in their order. */
  readonly states: readonly string[];
  /** By the process's monotonic clock. */
  readonly waitedMs: number;
  readonly timeoutMs: number;
}

/** The network between one client and one node. */
export interface LinkEvent {
  readonly kind: "link";
  readonly atUs: number;
  readonly process: string;
  readonly node: number;
  readonly what: string;
}

/**
 * - `heal`: a quorum of nodes and all links to it are healthy from here on
 * - `progress`: by now, some waiter must have been granted
 * - `calm`: all nodes and links are healthy from here on
 * - `clean`: by now, whatever was given up must be gone from the nodes
 */
export interface PhaseEvent {
  readonly kind: "phase";
  readonly atUs: number;
  readonly what: "heal" | "progress" | "calm" | "clean";
}

export type HistoryEvent =
  | (SendEvent | VoteEvent | GrantEvent | ValidityEvent | EndEvent | LostEvent | CheckEvent)
  | (
      | CallEvent
      | SettleEvent
      | KeyEvent
      | PlaceEvent
      | CountEvent
      | EligibleEvent
      | NodeEvent
      | ProcessEvent
    )
  | (
      | ReportEvent
      | ReadinessEvent
      | UnwatchedEvent
      | HandleEvent
      | RemainsEvent
      | StoreEvent
      | LinkEvent
      | PhaseEvent
      | ForceEvent
      | ForeignEvent
    );

/** Names of the oracles, as the documentation lists them. */
export const ORACLE_IDS = [
  ...(["S1", "S2", "S3", "S4", "S5", "S6", "K1", "F1", "F2", "F3"] as const),
  ...(["L1", "L2", "L3", "L4", "L5", "R1", "Q1", "E1", "E2", "W1", "W2", "W3"] as const),
  ...(["H1", "H2", "H3", "D1", "D2", "J1", "O1", "O2", "I1", "I2"] as const),
] as const;

export type OracleId = (typeof ORACLE_IDS)[number];

export interface Violation {
  readonly id: OracleId;
  readonly atUs: number;
  readonly message: string;
}

/** Beside whom somebody may believe, or stand on a node; undefined for nobody. */
export function companyOf({ mode, owner }: Pick<GrantEvent, "mode" | "owner">): string | undefined {
  return mode ?? (owner === undefined ? undefined : `owner ${owner}`);
}

/** Which key it is about, of all keys, readers and holds on all nodes. */
export function placeOf(event: KeyEvent): string {
  const { node, name, before, after } = event;
  return companyOf(event) === undefined ? `${node} ${name}` : `${node} ${name} ${before ?? after}`;
}

/**
 * In whose wait queue of its process one waits for these names: that of the first. (The names of a set are
 * one text, sorted, in calls and in what is asked of the nodes; belief is told name by name.)
 */
export function waitQueueOf(name: string): string {
  return name.split(", ", 1)[0] ?? name;
}

/** The oracles' own arithmetic: it must not come from the code that is judged. */
export function majority(nodeCount: number): number {
  return (nodeCount - (nodeCount % 2)) / 2 + 1;
}
