import type { OperationKind } from "../../src/protocol/operation.js";
import { MARKERS } from "../../src/protocol/markers.js";
import type { Vote } from "../../src/protocol/operation.js";
import { standingAfter } from "./attempt-step.js";
import type { Rules, Scope } from "./scope.js";
import {
  replaced,
  textOfMessage,
  type AttemptState,
  type Message,
  type NodeState,
  type State,
  type Told,
} from "./state.js";

/** An event that can happen next, and the resulting state. */
export interface Event {
  readonly text: string;
  /** An attempt that was granted by it. */
  readonly granted?: number;
  readonly next: State;
}

/** @throws Error if an event that the search is to begin after cannot happen */
export function startOf(scope: Scope, rules: Rules): State {
  return scope.after.reduce((state, text) => {
    const event = eventsOf(state, scope, rules).find((one) => one.text === text);
    if (event === undefined) throw new Error(`cannot happen: ${text}`);
    return event.next;
  }, firstOf(scope));
}

function firstOf(scope: Scope): State {
  return {
    nodes: scope.fences.map((fence) => {
      return { ...emptyOf(scope), fence, top: fence ?? 0, isKnown: true };
    }),
    attempts: scope.proposals.map(() => {
      const asksLeft = scope.askCount;
      return { phase: "idle", asksLeft, told: [], token: 0, floor: 0, wasGranted: false };
    }),
    messages: [],
    era: 0,
    duplicatesLeft: scope.duplicateCount,
    expiriesLeft: scope.expiryCount,
    crashesLeft: scope.crashCount,
    healsLeft: scope.healCount,
    strangersLeft: scope.strangerCount,
  };
}

/** What a node has for a while only. */
function emptyOf({
  askCount,
  clientCount,
}: Scope): Pick<NodeState, "holder" | "queue" | "deferred"> {
  const clients = askCount > 0 ? clientCount : 0;
  const deferred = Array.from({ length: clients }, () => undefined);
  return { holder: undefined, queue: "", deferred };
}

/**
 * All events that can happen in a state. A message that is never delivered models a lost one. The latest come first:
 * a depth-first search finds errors sooner if it lets old messages wait.
 */
export function eventsOf(state: State, scope: Scope, rules: Rules): Event[] {
  return [
    ...(state.era < scope.eraCount ? [nextEra(state, scope)] : []),
    ...deliveries(state, scope, rules),
    ...state.attempts.flatMap((attempt, index) => ofAttempt(state, attempt, index, scope)),
    ...state.nodes.flatMap((_, index) => ofNode(state, index, scope)),
  ].toReversed();
}

/** The life of all keys is over, and with it every lock. */
function nextEra(state: State, scope: Scope): Event {
  const nodes = state.nodes.map((node) => ({ ...node, ...emptyOf(scope) }));
  const attempts = state.attempts.map((attempt) =>
    attempt.phase === "held" ? ({ ...attempt, phase: "over" } as const) : attempt,
  );
  return { text: "a life passes", next: { ...state, nodes, attempts, era: state.era + 1 } };
}

function deliveries(state: State, scope: Scope, rules: Rules): Event[] {
  const events: Event[] = [];
  const met = new Set<string>();
  for (const [index, message] of state.messages.entries()) {
    const text = textOfMessage(message);
    if (met.has(text)) continue;
    met.add(text);
    const messages = state.messages.filter((_, at) => at !== index);
    if (message.vote !== undefined) {
      events.push(answer({ ...state, messages }, message, text, scope, rules));
      continue;
    }
    events.push({ text, next: execute({ ...state, messages }, message, rules) });
    if (state.duplicatesLeft === 0) continue;
    const kept = { ...state, duplicatesLeft: state.duplicatesLeft - 1 };
    events.push({ text: `${text} (it will come again)`, next: execute(kept, message, rules) });
  }
  return events;
}

function execute(state: State, message: Message, rules: Rules): State {
  const { node, vote, grants } = rules.stepOnNode(state.nodes[message.node] as never, message);
  const nodes = replaced(state.nodes, message.node, node);
  const { kind, attempt } = message;
  const isAwaited = (kind === "acquire" || kind === "seal") && isOpen(state.attempts[attempt]);
  const messages = isAwaited ? [...state.messages, { ...message, vote }] : [...state.messages];
  for (const { attempt: to, fence, era } of grants) {
    const granted: Vote = { kind: "granted", fence };
    const common = { kind: "grant", node: message.node, fence: undefined } as const;
    if (isWaiting(state.attempts[to]))
      messages.push({ ...common, attempt: to, era, vote: granted });
  }
  return { ...state, nodes, messages };
}

function answer(
  state: State,
  { kind, node, attempt: index, vote, era: sent }: Message,
  text: string,
  scope: Scope,
  rules: Rules,
): Event {
  const attempt = state.attempts[index] as AttemptState;
  const isGrant = kind === "grant";
  const heard = isGrant ? "acquire" : kind;
  if (vote === undefined || (heard !== "acquire" && heard !== "seal")) return { text, next: state };
  // A second answer to the same question is ignored; but who was refused may be granted it later.
  const isKnown = attempt.told.some(
    (told) =>
      told.kind === heard && told.node === node && !(isGrant && told.vote.kind === "refused"),
  );
  if (isKnown) return { text, next: state };
  const era = isGrant && rules.messageFrom === "message" ? state.era : sent;
  const told: Told[] = [...attempt.told, { kind: heard, node, vote, era }];
  const { phase, token, asked } = standingAfter(state.nodes.length, told, rules);
  const isLost = phase === "over" && token === 0;
  const isQueued = scope.askCount > 0;
  // Who waits listens to all: where all have refused it, it goes on as it is.
  if (isQueued && isLost) {
    const refused = new Set(told.filter(isRefused).map((refusal) => refusal.node));
    const answered = new Set(told.map((one) => one.node));
    const isAnswered = answered.size === state.nodes.length;
    const isByAll = refused.size === state.nodes.length;
    const over = { ...attempt, phase: "waiting", told: [] } as const;
    const change = isByAll ? over : { ...attempt, told };
    const next = { ...state, attempts: replaced(state.attempts, index, change) };
    return { text, next: isAnswered && !isByAll ? rolledBack(next, index, scope) : next };
  }
  const seals = asked.map((to): Message => ({
    ...{ kind: "seal", node: to, attempt: index, fence: token, era: state.era },
  }));
  const now = phase === "asking" ? attempt.phase : phase;
  const next: State = {
    ...state,
    attempts: replaced(state.attempts, index, {
      ...attempt,
      ...{ told, phase: now, token, wasGranted: phase === "held" },
    }),
    messages: [...state.messages, ...seals],
  };
  if (phase === "held") {
    const eras = told.filter((one) => one.kind === "acquire").map((one) => one.era);
    const from = rules.roundFrom === "first" ? Math.min(...eras) : Math.max(...eras);
    if (from === state.era) return { text, granted: index, next: closed(next, index) };
    const over = { ...attempt, told, phase: now, token };
    return {
      text,
      next: rolledBack({ ...next, attempts: replaced(next.attempts, index, over) }, index, scope),
    };
  }
  return { text, next: phase === "over" ? rolledBack(next, index, scope) : next };
}

function isRefused({ kind, vote }: Told): boolean {
  return kind === "acquire" && vote.kind !== "granted";
}

function ofAttempt(state: State, attempt: AttemptState, index: number, scope: Scope): Event[] {
  switch (attempt.phase) {
    case "idle": {
      const previous = state.attempts[index - scope.clientCount];
      const isFree = previous === undefined || previous.phase === "over";
      return isFree ? [begin(state, attempt, index, scope.proposals[index] ?? 0)] : [];
    }
    case "waiting":
      return [...asksAgain(state, attempt, index, scope), ...givesUp(state, index, scope)];
    case "asking":
    case "sealing":
      return givesUp(state, index, scope);
    case "held": {
      const over = { text: `release ${index}`, next: rolledBack(state, index, scope) };
      if (state.healsLeft === 0) return [over];
      const heals = state.nodes.map((_, node): Event => {
        const heal: Message = {
          ...{ kind: "heal", node, attempt: index, fence: attempt.token, era: state.era },
        };
        const messages = [...state.messages, heal];
        const next = { ...state, messages, healsLeft: state.healsLeft - 1 };
        return { text: `heal ${node} by ${index}`, next };
      });
      return [over, ...heals];
    }
    case "over":
      return [];
  }
}

function givesUp(state: State, index: number, scope: Scope): Event[] {
  return scope.canGiveUp
    ? [{ text: `give up ${index}`, next: rolledBack(state, index, scope) }]
    : [];
}

/** All, or where some nodes have granted it of their own accord, the others. */
function asksAgain(state: State, attempt: AttemptState, index: number, scope: Scope): Event[] {
  if (attempt.asksLeft === 0) return [];
  const granted = new Set(attempt.told.map(({ node }) => node));
  const all = toAll(state, "acquire", index, scope.proposals[index] ?? 0);
  const asked = { ...attempt, phase: "asking", asksLeft: attempt.asksLeft - 1 } as const;
  const attempts = replaced(state.attempts, index, asked);
  const messages = [...state.messages, ...all.filter(({ node }) => !granted.has(node))];
  return [{ text: `ask ${index}`, next: { ...state, attempts, messages } }];
}

function begin(state: State, attempt: AttemptState, index: number, proposal: number): Event {
  const asksLeft = Math.max(0, attempt.asksLeft - 1);
  const begun = { ...attempt, phase: "asking", floor: floorOf(state), asksLeft } as const;
  const attempts = replaced(state.attempts, index, begun);
  const messages = [...state.messages, ...toAll(state, "acquire", index, proposal)];
  return { text: `begin ${index}`, next: { ...state, attempts, messages } };
}

function floorOf({ attempts }: State): number {
  return Math.max(0, ...attempts.map(({ wasGranted, token }) => (wasGranted ? token : 0)));
}

function ofNode(state: State, index: number, scope: Scope): Event[] {
  const node = state.nodes[index];
  if (node === undefined) return [];
  const events: Event[] = [];
  const isReserved = node.holder?.startsWith(MARKERS.turn) === true;
  if (node.holder !== undefined && (isReserved || state.expiriesLeft > 0)) {
    const nodes = replaced(state.nodes, index, { ...node, holder: undefined });
    const expiriesLeft = isReserved ? state.expiriesLeft : state.expiriesLeft - 1;
    events.push({ text: `expire on ${index}`, next: { ...state, nodes, expiriesLeft } });
  }
  if (state.crashesLeft > 0 && node.isKnown) {
    const empty = { ...emptyOf(scope), fence: undefined, top: 0, isKnown: false };
    const nodes = replaced(state.nodes, index, empty);
    const next = { ...state, nodes, crashesLeft: state.crashesLeft - 1 };
    events.push({ text: `crash of ${index}`, next });
  }
  if (state.strangersLeft > 0) {
    const top = node.top + 1;
    const strangersLeft = state.strangersLeft - 1;
    for (const [text, fence] of [
      ["the same", top],
      ["another", node.fence],
    ] as const) {
      const nodes = replaced(state.nodes, index, { ...node, top, fence });
      const next = { ...state, nodes, strangersLeft };
      events.push({ text: `a name of ${text} bucket is granted on ${index}`, next });
    }
  }
  return events;
}

/**
 * Rollback and release are the same: to all nodes, with the token if there is one; and the next attempt of the client
 * goes on in its place.
 */
function rolledBack(state: State, index: number, scope: Scope): State {
  const attempt = state.attempts[index] as AttemptState;
  const fence = attempt.token === 0 ? undefined : attempt.token;
  let attempts = replaced<AttemptState>(state.attempts, index, { ...attempt, phase: "over" });
  const following = attempts[index + scope.clientCount];
  const goesOn = scope.askCount > 0 && following?.phase === "idle";
  const next = goesOn ? index + scope.clientCount : undefined;
  if (goesOn) {
    const waiting = { ...following, phase: "waiting", floor: floorOf(state) } as const;
    attempts = replaced(attempts, index + scope.clientCount, waiting);
  }
  const releases = toAll(state, "release", index, fence).map((release) => ({ ...release, next }));
  return closed({ ...state, attempts, messages: [...state.messages, ...releases] }, index);
}

/** Nobody listens to its answers any more. */
function closed(state: State, index: number): State {
  const messages = state.messages.filter(
    ({ attempt, vote }) => attempt !== index || vote === undefined,
  );
  return { ...state, messages };
}

function toAll(
  { nodes, era }: State,
  kind: OperationKind,
  attempt: number,
  fence: number | undefined,
): Message[] {
  return nodes.map((_, node) => ({ kind, node, attempt, fence, era }));
}

function isOpen(attempt: AttemptState | undefined): boolean {
  return attempt?.phase === "asking" || attempt?.phase === "sealing";
}

/** A message of a node may still count for it. */
function isWaiting(attempt: AttemptState | undefined): boolean {
  return attempt?.phase === "waiting" || isOpen(attempt);
}
