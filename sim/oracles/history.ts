/**
 * The record of a run, as the oracles read it: plain data in order of real time, made by the simulator or by a
 * recorder around real nodes. Instants in real microseconds end in `Us`.
 */

/** What the oracles must know of how the run was configured. */
export interface HistorySettings {
  readonly nodeCount: number;
  readonly driftFactor: number;
  /** The longest lease in use, ms: the quarantine of a node that nobody opened. */
  readonly maxTtlMs: number;
  /** How late a timer may fire on an idle process, µs. */
  readonly timerSlopUs: number;
  /** How long after the end of validity a loss may be reported: the difference of clocks at two rates. */
  readonly lossSlopUs: number;
  /** So few attempts of a process may be in flight that others end without having been made. */
  readonly isNarrow?: boolean;
  /** In the layout of the locks no free name is reserved: only the step that drops a key tells waiters. */
  readonly reservesNothing?: boolean;
  /** The wall clocks of processes differ by so much that one waits behind all others, and those of nodes do not agree. */
  readonly areWallsApart?: boolean;
  /** How much a process's monotonic clock may run ahead of real time, parts per million. */
  readonly steadyPpm: number;
  /** How fast the clock of each node runs at the beginning, parts per million off real time. */
  readonly nodeRatesPpm?: readonly number[];
}

export interface History {
  readonly settings: HistorySettings;
  readonly events: readonly HistoryEvent[];
}

export type OperationName =
  | ("acquire" | "seal" | "extend" | "heal" | "release" | "leave")
  | ("refresh" | "inspect" | "watch" | "size" | "revoke");

/** Something that happened. */
interface Event<Kind extends string> {
  readonly kind: Kind;
  readonly atUs: number;
}

interface InProcess<Kind extends string> extends Event<Kind> {
  readonly process: string;
}

interface OnNode<Kind extends string> extends Event<Kind> {
  readonly node: number;
}

/** About a lock of one owner in a process. */
interface OfLock<Kind extends string> extends InProcess<Kind> {
  readonly name: string;
  readonly ownerId: string;
}

/** About an operation on a node. All operations of one round have the same round number. */
interface InRound<Kind extends string> extends OfLock<Kind> {
  readonly node: number;
  readonly round: number;
  readonly op: OperationName;
}

/** About the validity of a lock. */
interface Proof<Kind extends string> extends OfLock<Kind> {
  readonly ttlMs: number;
  /** The holder's lease clock. */
  readonly leaseMs: number;
  readonly validUntilMs: number;
  /** Real instant at which the holder's lease clock will show `validUntilMs`, if nothing disturbs it. */
  readonly untilUs: number;
}

/** One operation handed to one node's channel. */
export interface SendEvent extends InRound<"send"> {
  readonly ttlMs: number;
  readonly fence: number | undefined;
  /** For an acquire that is granted only where its owner already holds the name. */
  readonly isAgain?: boolean | undefined;
  /** Of a lock that is passed on: the owner whose lock it was. */
  readonly previous?: string | undefined;
  /** Of a set: the owners that have some of its names for it. */
  readonly parts?: readonly string[] | undefined;
  /** The owner of the acquire that nodes may execute later. */
  readonly deferred?: string | undefined;
  /** For an acquire that takes the name, whoever holds it. */
  readonly isPreempting?: boolean | undefined;
  /** For an acquire of permits that waits: since when, by its process's wall clock, µs. */
  readonly ticket?: number | undefined;
  /** For an acquire of permits: how many its semaphore has, as its process knows. */
  readonly permits?: number | undefined;
  /** For a shared acquire. */
  readonly mode?: "shared" | undefined;
  /** For whose caller, if it is not the lock manager's. */
  readonly via?: "redlock" | undefined;
  /** The sender's lease clock. */
  readonly leaseMs: number;
}

/** A node's answer, when it reached the coordinator. */
export interface VoteEvent extends InRound<"vote"> {
  /**
   * It came by a message, as the acquire was deferred: of which key life, ms, when it was left with a node first, and
   * the lease clock when the call was sent on which the node relied.
   */
  readonly told?:
    | { readonly ttlMs: number; readonly askedUs: number; readonly sentMs: number }
    | undefined;
  readonly vote: "granted" | "refused" | "fault";
  /** The node's fence with a granted acquire or seal. */
  readonly fence: number;
  /** What kind of fault, where the recorder tells. */
  readonly fault?: string | undefined;
  /** Of a fault: whether the operation may have been executed. */
  readonly sent?: boolean | undefined;
  /** For a refusal: the beginning of whose ownerId has the name; undefined if that is no single client. */
  readonly holder?: string | undefined;
  /** For a refusal: the name is held in another layout, or the key is foreign data. */
  readonly isForeign?: boolean | undefined;
  /** Of a refused heal: an operator has ended the lock. */
  readonly isEnded?: boolean | undefined;
}

/** A lock was granted: the hold begins. */
export interface GrantEvent extends Proof<"grant"> {
  readonly token: number | undefined;
  /** Others may hold it too, all of them shared; exclusive if undefined. */
  readonly mode?: "shared" | undefined;
  /** Others may hold it too, all of them for this owner. */
  readonly owner?: string | undefined;
  /** For a permit: the number of permits of its semaphore. */
  readonly permits?: number | undefined;
  /** It is renewed automatically, as far as the recorder tells. */
  readonly isRenewed?: boolean | undefined;
  /** How long the name is to stay closed after a loss, ms; 0 if undefined. */
  readonly lockDelayMs?: number | undefined;
  /** How long the name is to stay closed from now on, ms; 0 if undefined. */
  readonly minHoldMs?: number | undefined;
}

/** The validity of a held lock changed. */
export type ValidityEvent = Proof<"validity">;

/** A held lock was passed on within its process: the hold goes on, with the next token and for another caller. */
export interface PassedEvent extends OfLock<"passed"> {
  readonly token: number | undefined;
}

/**
 * A hold ended: the release was called, the loss was reported, the lease clock reached `validUntil` (whether or not
 * anybody noticed), the process died, or the lock was handed over for another process to adopt.
 */
export interface EndEvent extends OfLock<"end"> {
  readonly why: "released" | "lost" | "expired" | "crashed" | "given";
}

/** The holder was notified that its lock is lost. */
export interface LostEvent extends OfLock<"lost"> {
  readonly reason: string;
  /** The holder's lease clock, where the recorder tells. */
  readonly leaseMs?: number | undefined;
}

/** The holder asked whether it holds the lock, and the answer was yes. */
export interface CheckEvent extends OfLock<"check"> {
  /** Tells apart those who had it one after the other in its process, where the recorder tells. */
  readonly token?: number | undefined;
}

/** Its holder is not notified of a loss: it checks when the lock ends. */
export type UnwatchedEvent = OfLock<"unwatched">;

/** Of a lock with several handles: one more, or the release of one. */
export interface HandleEvent extends OfLock<"handle"> {
  readonly handle: number;
  readonly what: "join" | "leave";
  /** What the handle says right after. */
  readonly isHeld: boolean;
}

/** A call of the public API. */
export interface CallEvent extends InProcess<"call"> {
  readonly call: number;
  readonly what:
    | "acquire"
    | "extend"
    | "release"
    | "adopt"
    | "force"
    | "query"
    | "ready"
    | "proclaim"
    | "resize"
    | "available";
  readonly name: string;
  /** Of extend and release; for an adoption, the owner that handed the lock over. */
  readonly ownerId: string | undefined;
  /** Of a release: that of the lock, which tells apart those that are passed on. */
  readonly token?: number | undefined;
  /** For an acquire that must not overtake earlier ones. */
  readonly isFair?: boolean | undefined;
  /** For an acquire that takes the name from whoever has it. */
  readonly isStealing?: boolean | undefined;
  /** Of an acquire of permits: how many it wants; 1 if undefined. */
  readonly count?: number | undefined;
  /** It wants more permits than its process knows of, and asks first how many there are. */
  readonly asksSize?: boolean | undefined;
  /** Its options differ from those of its process. */
  readonly hasOwnOptions?: boolean | undefined;
  /** By which interface, if it is not the lock manager's. */
  readonly via?: "redlock" | undefined;
  /** Of an acquire: how long it may wait, ms; 0 for one attempt. */
  readonly waitMs?: number | undefined;
  /** For a shared acquire. */
  readonly mode?: "shared" | undefined;
  /** For an acquire with a named owner. */
  readonly owner?: string | undefined;
  /** Of an acquire: it does not begin to wait where so many do. */
  readonly maxWaiters?: number | undefined;
  /** Of a resize: how many permits there are to be. */
  readonly resizeTo?: number | undefined;
  /** Of an extend: how long the lock is to last from then on, ms; its ttl if undefined. */
  readonly toMs?: number | undefined;
  /** Of an extend: the caller's lease clock. */
  readonly leaseMs?: number | undefined;
  /** Within which it promises to settle, ms of the process's monotonic clock. */
  readonly withinMs: number;
  /** Of a call whose only attempt may come after others of its process: that takes longer. */
  readonly queue?: Queue | undefined;
  readonly steadyMs: number;
}

/** How many attempts of a process were under way, how many may be, and how long each may take, ms. */
export interface Queue {
  readonly underWayCount: number;
  readonly window: number;
  readonly attemptMs: number;
}

export interface SettleEvent extends InProcess<"settle"> {
  readonly call: number;
  readonly result: string;
  readonly steadyMs: number;
  /** Of an acquire that was refused because so many wait. */
  readonly waitingCount?: number;
}

/** One who observes a name was shown who holds it: nobody without `who`, the hash of the owner. */
export interface ObservedEvent extends InProcess<"observed"> {
  readonly name: string;
  /** Tells those who observe apart. */
  readonly observer: string;
  readonly who?: string;
  readonly fence?: number;
  readonly value?: string;
}

/**
 * A lock key on a node changed. With `forget` and an owner `after`, a restart restored an older state of the node:
 * that key has no meaning any more, and expires with its ttl. Readers are stored next to each other: with the mode
 * `shared` an event is about one of them, and says nothing about others. The same holds for the holds of a named
 * owner.
 */
export interface KeyEvent extends OnNode<"key"> {
  readonly name: string;
  readonly mode?: "shared" | undefined;
  readonly owner?: string | undefined;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The owner whose operation did it; undefined for an expiry and for a node that lost its data. */
  readonly by: string | undefined;
  /**
   * `foreign`: code that is not ours, with a command of its own. `overdue`: a client had observed by its own clock
   * that it was no longer renewed.
   */
  readonly op: OperationName | "expire" | "overdue" | "forget" | "foreign";
  /** For foreign code: by its own rules it had no right to take the name from its holder, or took it for its own. */
  readonly isTrespass?: boolean | undefined;
  /** Real instant at which the key will expire, if nothing disturbs it. */
  readonly deadUs: number;
}

/**
 * The place of a process in the queue of a name on a node was written (`stands`), was removed (`gone`), or a free
 * name is reserved for it (`kept`). `passed`: it was not there, and was written and removed in one step.
 */
export interface PlaceEvent extends OnNode<"place"> {
  readonly name: string;
  readonly process: string;
  /** The name as a whole, as a reader, or any permit. */
  readonly wants: "" | "r" | "s";
  /** How many permits; 1 of all others. */
  readonly count?: number | undefined;
  /** For how long a free name is reserved for it, ms: a process has a place for each such time. */
  readonly turnMs?: number | undefined;
  /**
   * Its place in the order, when the wait began by the process's wall clock, µs. Of `stands`, and of what left a place
   * that the same step had written: a release queues the next waiter of its process, and may tell it at once.
   */
  readonly ticket?: number | undefined;
  readonly what: "stands" | "gone" | "kept" | "passed";
  /** As with a key. */
  readonly by: string | undefined;
  readonly op: KeyEvent["op"];
  /** When the client asked for that step. */
  readonly sentUs: number;
  /** Of `stands` and `passed`: for how long the queue is kept, by the node's clock. */
  readonly keptUs?: number | undefined;
}

/**
 * A node's message that it is the turn of a process (`told`), and its arrival (`heard`): the node reserves the name for
 * it, or a permit of it, or it may come in beside others.
 */
export interface TurnEvent extends OnNode<"turn"> {
  readonly name: string;
  readonly process: string;
  readonly wants: PlaceEvent["wants"];
  /** Which permits; undefined for the name as a whole. */
  readonly permits: readonly number[] | undefined;
  readonly what: "told" | "heard";
}

/**
 * A message arrived at a process, of a node or in its name: the lock of the owner that begins like that, without the time
 * in front, has ended there.
 */
export interface NewsEvent extends OnNode<"news"> {
  readonly process: string;
  readonly beginning: string;
}

/** A process listens to a node's messages from here on, or no more. It may do so several times. */
export interface InboxEvent extends OnNode<"inbox"> {
  readonly process: string;
  readonly isListening: boolean;
}

/** How many holds of an owner a node counts, after a step that changed them. */
export interface CountEvent extends OnNode<"count"> {
  readonly name: string;
  readonly owner: string;
  readonly count: number;
}

/** The size that a node keeps of a semaphore that was resized; without one it has lost it. */
export interface SizeEvent extends OnNode<"size"> {
  readonly name: string;
  readonly count?: number;
  readonly version?: number;
  /** A restart has lost it, or restored an older state. */
  readonly isLost?: boolean;
}

/** Whether there is (or could start) a client for which this node's acquire votes count. */
export interface EligibleEvent extends OnNode<"eligible"> {
  readonly isEligible: boolean;
}

export interface NodeEvent extends OnNode<"node"> {
  readonly what:
    | ("crash" | "restart" | "freeze" | "thaw" | "forget" | "scriptFlush")
    | ("jump" | "rate" | "errors" | "calm")
    /** Unreachable for all until all is calm. */
    | "isolate";
  /** Of `errors` and `calm`: the only name that they are about. */
  readonly name?: string | undefined;
  /** Of `jump`: by how much the node's clock is set. */
  readonly byMs?: number | undefined;
  /** Of `rate`: how fast it runs from here on. */
  readonly ratePpm?: number | undefined;
}

export interface ProcessEvent extends InProcess<"process"> {
  readonly what:
    | ("start" | "pause" | "resume" | "suspend" | "wake" | "jump" | "crash")
    | ("closing" | "closed");
  /** Of `start`: the nodes that it uses, in its order; all if undefined. */
  readonly nodes?: readonly number[] | undefined;
}

/** The list of nodes on a node's record is another one from here on; undefined if there is none. */
export interface ListedEvent extends OnNode<"listed"> {
  readonly nodes: readonly number[] | undefined;
  /** How many nodes the client had that wrote the record, until there is a list. */
  readonly count?: number | undefined;
}

/** A process was warned that other clients use other nodes. */
export type WarnedEvent = InProcess<"warned">;

/** What a closed process still had: timers armed, calls not settled. */
export interface RemainsEvent extends InProcess<"remains"> {
  readonly timerCount: number;
  readonly openCallCount: number;
}

/** One access to a store that the lock protects. */
export interface StoreEvent extends OfLock<"store"> {
  readonly store: "fenced" | "unfenced";
  readonly token: number | undefined;
  readonly what: "read" | "write" | "reject";
  /** Version read, or the version that the write was made from. */
  readonly base: number;
}

/** An operator has ended locks by force. */
export interface ForceEvent extends InProcess<"force"> {
  readonly name: string;
  readonly ownerIds: readonly string[];
  /** A quorum of nodes has released them, and remembers that. */
  readonly isQuorate: boolean;
}

/**
 * Code that is not ours, on the same names: it holds a lock by its own rules (`grant`), holds it for longer
 * (`renewed`), no longer holds it (`end`), was refused, or was notified that the lock may be free (`woken`).
 */
export interface ForeignEvent extends OfLock<"foreign"> {
  readonly what: "grant" | "renewed" | "end" | "refused" | "woken";
}

/** The result of a query of a name. */
export interface ReportEvent extends InProcess<"report"> {
  readonly name: string;
  /** When it began. */
  readonly sinceUs: number;
  readonly state: "held" | "free" | "undecided";
  /** All owners ever seen in a key; a permit has a name of its own. */
  readonly holders: readonly {
    readonly name: string;
    readonly ownerId: string;
    readonly nodes: readonly number[];
    readonly remainingMs: number;
  }[];
  readonly freeNodes: readonly number[];
}

/** The answer to a process that asked whether its lock manager is ready. */
export interface ReadinessEvent extends InProcess<"readiness"> {
  readonly isReady: boolean;
  /** Of the nodes, in their order. */
  readonly states: readonly string[];
  /** By the process's monotonic clock. */
  readonly waitedMs: number;
  readonly timeoutMs: number;
}

/** The network between one client and one node. */
export interface LinkEvent extends InProcess<"link"> {
  readonly node: number;
  readonly what: string;
}

/**
 * - `heal`: a quorum of nodes and all links to it are healthy from here on
 * - `progress`: by now, some waiter must have been granted
 * - `calm`: all nodes and links are healthy from here on
 * - `clean`: by now, all keys of failed attempts must be gone from the nodes
 */
export interface PhaseEvent extends Event<"phase"> {
  readonly what: "heal" | "progress" | "calm" | "clean";
}

export type HistoryEvent =
  | (SendEvent | VoteEvent | GrantEvent | ValidityEvent | PassedEvent)
  | (EndEvent | LostEvent | CheckEvent)
  | (
      | CallEvent
      | SettleEvent
      | KeyEvent
      | PlaceEvent
      | TurnEvent
      | NewsEvent
      | InboxEvent
      | CountEvent
      | SizeEvent
      | EligibleEvent
      | NodeEvent
      | ProcessEvent
    )
  | (
      | ReportEvent
      | ObservedEvent
      | ReadinessEvent
      | UnwatchedEvent
      | HandleEvent
      | RemainsEvent
      | StoreEvent
      | LinkEvent
      | ListedEvent
      | WarnedEvent
      | PhaseEvent
      | ForceEvent
      | ForeignEvent
    );

/** Names of the oracles, as the documentation lists them. */
export const ORACLE_IDS = [
  ...(["S1", "S2", "S3", "S4", "S5", "S6", "K1", "K2", "K3", "K4", "F1", "F2", "F3"] as const),
  ...([
    "L1",
    "L2",
    "L3",
    "L4",
    "L5",
    "L6",
    "L7",
    "L8",
    "R1",
    "Q1",
    "E1",
    "E2",
    "W1",
    "W2",
    "W3",
    "W4",
    "W5",
    "W6",
    "W7",
    "W8",
  ] as const),
  ...(["H1", "H2", "H3", "H4", "D1", "D2", "J1", "O1", "O2", "I1", "I2", "I3", "I4"] as const),
] as const;

export type OracleId = (typeof ORACLE_IDS)[number];

export interface Violation {
  readonly id: OracleId;
  readonly atUs: number;
  readonly message: string;
}

/** Reports a violation of the property that an oracle judges. */
export type Violate = (atUs: number, message: string) => void;

/** The company in which others may hold the name, or have keys on a node; undefined for none. */
export function companyOf({ mode, owner }: Pick<GrantEvent, "mode" | "owner">): string | undefined {
  return mode ?? (owner === undefined ? undefined : `owner ${owner}`);
}

/** Tells the places of a process in one queue apart. */
export function markOf({ wants, count = 1, turnMs }: PlaceEvent): string {
  return `${wants}${count > 1 ? `${count},` : ""}${turnMs}`;
}

/** Which key it is about, of all keys, readers and holds on all nodes. */
export function placeOf(event: KeyEvent): string {
  const { node, name, before, after } = event;
  return companyOf(event) === undefined ? `${node} ${name}` : `${node} ${name} ${before ?? after}`;
}

/**
 * The wait queue of its process in which an acquire for these names waits: that of the first name. (The names of a
 * set are one text, sorted, in calls and in operations; holds are reported name by name.)
 */
export function waitQueueOf(name: string): string {
  return name.split(", ", 1)[0] ?? name;
}

/** The oracles' own arithmetic: it must not come from the code under test. */
export function majority(nodeCount: number): number {
  return (nodeCount - (nodeCount % 2)) / 2 + 1;
}

/** Of a minimum hold: fixed part of the drift, and what is rounded up. */
const ROUNDING_MS = 5;

/** How long nodes may keep the key of a lock that was released early, µs; 0 without a minimum hold. */
export function longestMinHoldUs(
  { minHoldMs = 0 }: Pick<GrantEvent, "minHoldMs">,
  { driftFactor }: Pick<HistorySettings, "driftFactor">,
): number {
  if (minHoldMs === 0) return 0;
  // It is out-waited on a clock that may be off by the drift, and rounded up.
  return (minHoldMs * (1 + 2 * driftFactor) + ROUNDING_MS) * 1_000;
}
