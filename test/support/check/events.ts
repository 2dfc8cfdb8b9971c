import type {
  CallEvent,
  EndEvent,
  GrantEvent,
  History,
  HistoryEvent,
  HistorySettings,
  KeyEvent,
  NodeEvent,
  PassedEvent,
  PlaceEvent,
  ProcessEvent,
  SendEvent,
  StoreEvent,
  ValidityEvent,
  VoteEvent,
} from "../../../sim/oracles/history.js";

/** Hand-made histories: three nodes, leases of 1000 ms (988 without drift), instants in µs. */

export function historyOf(
  events: readonly HistoryEvent[],
  settings: Partial<HistorySettings> = {},
): History {
  const slops = { timerSlopUs: 0, lossSlopUs: 2_000, steadyPpm: 0 };
  const base = { nodeCount: 3, driftFactor: 0.01, maxTtlMs: 1_000, ...slops };
  return { settings: { ...base, ...settings }, events };
}

export function grant(atUs: number, ownerId: string, more: Partial<GrantEvent> = {}): GrantEvent {
  const base = { process: ownerId, name: "a", token: undefined, ttlMs: 1_000 };
  const times = { leaseMs: atUs / 1_000, validUntilMs: 988, untilUs: 988_000 };
  return { kind: "grant", atUs, ownerId, ...base, ...times, ...more };
}

export function validity(
  atUs: number,
  ownerId: string,
  more: Partial<ValidityEvent> = {},
): ValidityEvent {
  const base = { process: ownerId, name: "a", ttlMs: 1_000 };
  const times = { leaseMs: atUs / 1_000, validUntilMs: 1_488, untilUs: 1_488_000 };
  return { kind: "validity", atUs, ownerId, ...base, ...times, ...more };
}

export function passed(atUs: number, ownerId: string, token: number): PassedEvent {
  return { kind: "passed", atUs, process: ownerId, name: "a", ownerId, token };
}

export function end(atUs: number, ownerId: string, why: EndEvent["why"] = "released"): EndEvent {
  return { kind: "end", atUs, process: ownerId, name: "a", ownerId, why };
}

export function send(
  atUs: number,
  ownerId: string,
  node: number,
  more: Partial<SendEvent> = {},
): SendEvent {
  const base = { process: ownerId, round: 1, op: "acquire", name: "a", ttlMs: 1_000 } as const;
  return { kind: "send", atUs, ownerId, node, ...base, fence: 1, leaseMs: atUs / 1_000, ...more };
}

export function vote(
  atUs: number,
  ownerId: string,
  node: number,
  more: Partial<VoteEvent> = {},
): VoteEvent {
  const base = { process: ownerId, round: 1, op: "acquire", name: "a" } as const;
  return { kind: "vote", atUs, ownerId, node, ...base, vote: "granted", fence: 1, ...more };
}

/** A round to all nodes, and the grants of some of them. */
export function wonRound(
  ownerId: string,
  sentUs: number,
  votedUs: number,
  nodes: readonly number[] = [0, 1],
  more: Partial<SendEvent> & { readonly round?: number } = {},
): HistoryEvent[] {
  const { op = "acquire", round = 1, fence = 1 } = more;
  return [
    ...[0, 1, 2].map((node) => send(sentUs, ownerId, node, more)),
    ...nodes.map((node) => vote(votedUs, ownerId, node, { op, round, fence })),
  ];
}

/** The lock key on a node: from one owner to another. */
export function key(
  atUs: number,
  node: number,
  before: string | undefined,
  after: string | undefined,
  more: Partial<KeyEvent> = {},
): KeyEvent {
  const op = after === undefined ? "expire" : "acquire";
  const by = op === "expire" ? undefined : after;
  return {
    kind: "key",
    atUs,
    node,
    name: "a",
    before,
    after,
    by,
    op,
    deadUs: atUs + 1_001_000,
    ...more,
  };
}

/** The place of process A in the queue of the name a on node 0. */
export function place(
  atUs: number,
  what: PlaceEvent["what"],
  op: PlaceEvent["op"],
  more: Partial<PlaceEvent> = {},
): PlaceEvent {
  const about = { node: 0, name: "a", process: "A", wants: "", turnMs: 13 } as const;
  return { kind: "place", atUs, what, op, by: undefined, sentUs: atUs, ...about, ...more };
}

export function nodeEvent(
  atUs: number,
  node: number,
  what: NodeEvent["what"],
  more: Partial<NodeEvent> = {},
): NodeEvent {
  return { kind: "node", atUs, node, what, ...more };
}

export function lost(atUs: number, ownerId: string, reason: string): HistoryEvent {
  return { kind: "lost", atUs, process: "A", name: "a", ownerId, reason };
}

export function eligible(atUs: number, node: number, isEligible = true): HistoryEvent {
  return { kind: "eligible", atUs, node, isEligible };
}

export function processEvent(
  atUs: number,
  process: string,
  what: ProcessEvent["what"],
): ProcessEvent {
  return { kind: "process", atUs, process, what };
}

export function call(
  atUs: number,
  number: number,
  what: CallEvent["what"],
  more: Partial<CallEvent> = {},
): CallEvent {
  const base = { process: "A", name: "a", ownerId: "A", withinMs: 100 };
  return { kind: "call", atUs, call: number, what, steadyMs: atUs / 1_000, ...base, ...more };
}

export function settle(atUs: number, number: number, result: string): HistoryEvent {
  return {
    kind: "settle",
    atUs,
    process: "A",
    call: number,
    result,
    steadyMs: atUs / 1_000,
  };
}

export function store(
  atUs: number,
  what: StoreEvent["what"],
  base: number,
  more: Partial<StoreEvent> = {},
): StoreEvent {
  const about = { process: "A", store: "fenced", name: "a", ownerId: "A", token: 1 } as const;
  return { kind: "store", atUs, what, base, ...about, ...more };
}

export function phase(atUs: number, what: "heal" | "progress" | "calm" | "clean"): HistoryEvent {
  return { kind: "phase", atUs, what };
}
