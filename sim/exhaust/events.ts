import type { OperationKind } from "../../src/protocol/operation.js";
import { standingAfter } from "./attempt-step.js";
import type { Rules, Scope } from "./scope.js";
import { replaced, textOfMessage, type AttemptState, type Message, type State } from "./state.js";

/** An event that can happen next, and the resulting state. */
export interface Event {
  readonly text: string;
  /** An attempt that was granted by it. */
  readonly granted?: number;
  readonly next: State;
}

export function startOf(scope: Scope): State {
  return {
    nodes: scope.fences.map((fence) => {
      return { holder: undefined, fence, top: fence ?? 0, isKnown: true };
    }),
    attempts: scope.proposals.map(() => {
      return { phase: "idle", told: [], token: 0, floor: 0, wasGranted: false };
    }),
    messages: [],
    duplicatesLeft: scope.duplicateCount,
    expiriesLeft: scope.expiryCount,
    crashesLeft: scope.crashCount,
    healsLeft: scope.healCount,
    strangersLeft: scope.strangerCount,
  };
}

/**
 * All events that can happen in a state. A message that is never delivered models a lost one. The latest come first:
 * a depth-first search finds errors sooner if it lets old messages wait.
 */
export function eventsOf(state: State, scope: Scope, rules: Rules): Event[] {
  return [
    ...deliveries(state, rules),
    ...state.attempts.flatMap((attempt, index) => ofAttempt(state, attempt, index, scope)),
    ...state.nodes.flatMap((_, index) => ofNode(state, index)),
  ].toReversed();
}

function deliveries(state: State, rules: Rules): Event[] {
  const events: Event[] = [];
  const met = new Set<string>();
  for (const [index, message] of state.messages.entries()) {
    const text = textOfMessage(message);
    if (met.has(text)) continue;
    met.add(text);
    const messages = state.messages.filter((_, at) => at !== index);
    if (message.vote !== undefined) {
      events.push(answer({ ...state, messages }, message, text, rules));
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
  const { node, vote } = rules.stepOnNode(state.nodes[message.node] as never, message);
  const nodes = replaced(state.nodes, message.node, node);
  const { kind, attempt } = message;
  const isAwaited = (kind === "acquire" || kind === "seal") && isOpen(state.attempts[attempt]);
  return isAwaited
    ? { ...state, nodes, messages: [...state.messages, { ...message, vote }] }
    : { ...state, nodes };
}

function answer(
  state: State,
  { kind, node, attempt: index, vote }: Message,
  text: string,
  rules: Rules,
): Event {
  const attempt = state.attempts[index] as AttemptState;
  const isFirst = !attempt.told.some((told) => told.kind === kind && told.node === node);
  // A second answer to the same question is ignored.
  if (!isFirst || vote === undefined || (kind !== "acquire" && kind !== "seal")) {
    return { text, next: state };
  }
  const told = [...attempt.told, { kind, node, vote }];
  const { phase, token, asked } = standingAfter(state.nodes.length, told, rules);
  const seals = asked.map((to): Message => ({
    kind: "seal",
    node: to,
    attempt: index,
    fence: token,
  }));
  let next: State = {
    ...state,
    attempts: replaced(state.attempts, index, {
      ...attempt,
      ...{ told, phase, token, wasGranted: phase === "held" },
    }),
    messages: [...state.messages, ...seals],
  };
  if (phase === "held") return { text, granted: index, next: closed(next, index) };
  if (phase === "over") next = rolledBack(next, index);
  return { text, next };
}

function ofAttempt(state: State, attempt: AttemptState, index: number, scope: Scope): Event[] {
  switch (attempt.phase) {
    case "idle": {
      const previous = state.attempts[index - 2];
      const isFree = previous === undefined || previous.phase === "over";
      return isFree ? [begin(state, attempt, index, scope.proposals[index] ?? 0)] : [];
    }
    case "asking":
    case "sealing":
      return scope.canGiveUp ? [{ text: `give up ${index}`, next: rolledBack(state, index) }] : [];
    case "held": {
      const over = { text: `release ${index}`, next: rolledBack(state, index) };
      if (state.healsLeft === 0) return [over];
      const heals = state.nodes.map((_, node): Event => {
        const heal: Message = { kind: "heal", node, attempt: index, fence: attempt.token };
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

function begin(state: State, attempt: AttemptState, index: number, proposal: number): Event {
  const tokens = state.attempts.map(({ wasGranted, token }) => (wasGranted ? token : 0));
  const floor = Math.max(0, ...tokens);
  const attempts = replaced(state.attempts, index, { ...attempt, phase: "asking", floor } as const);
  const messages = [...state.messages, ...toAll(state, "acquire", index, proposal)];
  return { text: `begin ${index}`, next: { ...state, attempts, messages } };
}

function ofNode(state: State, index: number): Event[] {
  const node = state.nodes[index];
  if (node === undefined) return [];
  const events: Event[] = [];
  if (state.expiriesLeft > 0 && node.holder !== undefined) {
    const nodes = replaced(state.nodes, index, { ...node, holder: undefined });
    const next = { ...state, nodes, expiriesLeft: state.expiriesLeft - 1 };
    events.push({ text: `expire on ${index}`, next });
  }
  if (state.crashesLeft > 0 && node.isKnown) {
    const empty = { holder: undefined, fence: undefined, top: 0, isKnown: false };
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

/** Rollback and release are the same: to all nodes, with the token if there is one. */
function rolledBack(state: State, index: number): State {
  const attempt = state.attempts[index] as AttemptState;
  const fence = attempt.token === 0 ? undefined : attempt.token;
  const attempts = replaced(state.attempts, index, { ...attempt, phase: "over" } as const);
  const messages = [...state.messages, ...toAll(state, "release", index, fence)];
  return closed({ ...state, attempts, messages }, index);
}

/** Nobody listens to its answers any more. */
function closed(state: State, index: number): State {
  const messages = state.messages.filter(
    ({ attempt, vote }) => attempt !== index || vote === undefined,
  );
  return { ...state, messages };
}

function toAll(
  { nodes }: State,
  kind: OperationKind,
  attempt: number,
  fence: number | undefined,
): Message[] {
  return nodes.map((_, node) => ({ kind, node, attempt, fence }));
}

function isOpen(attempt: AttemptState | undefined): boolean {
  return attempt?.phase === "asking" || attempt?.phase === "sealing";
}
