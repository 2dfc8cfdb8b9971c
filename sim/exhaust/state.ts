import type { OperationKind, Vote } from "../../src/protocol/operation.js";

/** One node: the data that the script reads. */
export interface NodeState {
  /** Attempt whose key it holds. */
  readonly holder: number | undefined;
  /** Of the name's bucket, which it may share with other names. */
  readonly fence: number | undefined;
  /** The highest of all buckets; 0 for none. */
  readonly top: number;
  /** False once it has lost its data. */
  readonly isKnown: boolean;
}

/** An answer, in the order in which the attempt received them. */
export interface Told {
  readonly kind: "acquire" | "seal";
  readonly node: number;
  readonly vote: Vote;
}

export interface AttemptState {
  readonly phase: "idle" | "asking" | "sealing" | "held" | "over";
  readonly told: readonly Told[];
  readonly token: number;
  /** Largest token that had been granted when it began. */
  readonly floor: number;
  readonly wasGranted: boolean;
}

/** A message in flight. Operations go to nodes, answers come back; neither keeps an order. */
export interface Message {
  readonly kind: OperationKind;
  readonly node: number;
  readonly attempt: number;
  readonly fence: number | undefined;
  /** An answer. */
  readonly vote?: Vote;
}

export interface State {
  readonly nodes: readonly NodeState[];
  readonly attempts: readonly AttemptState[];
  readonly messages: readonly Message[];
  readonly duplicatesLeft: number;
  readonly expiriesLeft: number;
  readonly crashesLeft: number;
  readonly healsLeft: number;
  readonly strangersLeft: number;
}

/**
 * States with the same text have the same successors. It omits the order of votes, which does not matter once it has
 * affected the token, and the identity of the nodes.
 */
export function textOf(state: State): string {
  const views = state.nodes.map(({ holder, fence, top, isKnown }) => [
    `${holder ?? "-"},${fence ?? "-"},${top},${isKnown ? 1 : 0}`,
  ]);
  for (const message of state.messages) {
    const { kind, attempt, fence, vote } = message;
    const answer = vote === undefined ? "" : `=${textOfVote(vote)}`;
    views[message.node]?.push(`${kind[0]}${attempt}:${fence ?? ""}${answer}`);
  }
  for (const [index, { phase, told }] of state.attempts.entries()) {
    if (phase !== "asking" && phase !== "sealing") continue;
    for (const { kind, node, vote } of told) {
      views[node]?.push(`t${kind[0]}${index}${textOfVote(vote)}`);
    }
  }
  const attempts = state.attempts.map(
    ({ phase, token, floor, wasGranted }) =>
      `${phase[0]}${phase[1]}${token},${floor},${wasGranted ? 1 : 0}`,
  );
  const { duplicatesLeft, expiriesLeft, crashesLeft, healsLeft, strangersLeft } = state;
  const nodes = views.map(([node, ...rest]) => `${node} ${rest.toSorted().join(" ")}`);
  return `${nodes.toSorted().join("|")}|${attempts.join(" ")}|${duplicatesLeft}${expiriesLeft}${crashesLeft}${healsLeft}${strangersLeft}`;
}

export function textOfMessage({ kind, node, attempt, fence, vote }: Message): string {
  const answer = vote === undefined ? "" : `=${textOfVote(vote)}`;
  return `${kind}${attempt}>${node}:${fence ?? ""}${answer}`;
}

function textOfVote(vote: Vote): string {
  return vote.kind === "granted" ? `+${vote.fence}` : (vote.kind[0] ?? "");
}

export function replaced<T>(items: readonly T[], index: number, item: T): T[] {
  return items.map((old, at) => (at === index ? item : old));
}
