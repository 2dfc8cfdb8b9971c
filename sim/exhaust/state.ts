import type { OperationKind, Vote } from "../../src/protocol/operation.js";

/** One node: the data that the script reads. */
export interface NodeState {
  /** The attempt whose key it holds, or for whom the name is reserved, as the server has it. */
  readonly holder: string | undefined;
  /** Of the name's bucket, which it may share with other names. */
  readonly fence: number | undefined;
  /** The highest of all buckets; 0 for none. */
  readonly top: number;
  /** False once it has lost its data. */
  readonly isKnown: boolean;
  /** Who waits there, as the server has it; empty for nobody. */
  readonly queue: string;
  /** By client: the acquire that it has left, as the server has it; undefined for none. */
  readonly deferred: readonly (string | undefined)[];
}

/** An answer, in the order in which the attempt received them. */
export interface Told {
  readonly kind: "acquire" | "seal";
  readonly node: number;
  readonly vote: Vote;
  /** In which life of a key the call was sent from which the lock would begin. */
  readonly era: number;
}

export interface AttemptState {
  /** `waiting`: all nodes have refused it, or a release has left its acquire with them. */
  readonly phase: "idle" | "asking" | "waiting" | "sealing" | "held" | "over";
  /** How often it may still ask. */
  readonly asksLeft: number;
  readonly told: readonly Told[];
  readonly token: number;
  /** Largest token that had been granted when it began. */
  readonly floor: number;
  readonly wasGranted: boolean;
}

/** A message in flight. Operations go to nodes, answers come back; neither keeps an order. */
export interface Message {
  /** `grant`: a node has executed the acquire that was left there. */
  readonly kind: OperationKind | "grant";
  readonly node: number;
  readonly attempt: number;
  readonly fence: number | undefined;
  readonly era: number;
  /** With a release: the attempt that goes on in the queue in its place. */
  readonly next?: number | undefined;
  /** An answer. */
  readonly vote?: Vote;
}

export interface State {
  readonly nodes: readonly NodeState[];
  readonly attempts: readonly AttemptState[];
  readonly messages: readonly Message[];
  /** How many lives of a key have passed. */
  readonly era: number;
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
  const views = state.nodes.map(({ holder, fence, top, isKnown, queue, deferred }) => [
    `${holder ?? "-"},${fence ?? "-"},${top},${isKnown ? 1 : 0},${queue},${deferred.join()}`,
  ]);
  for (const message of state.messages) {
    const { kind, attempt, fence, era, next, vote } = message;
    const answer = vote === undefined ? "" : `=${textOfVote(vote)}`;
    views[message.node]?.push(`${kind[0]}${attempt}:${fence ?? ""}@${era}${next ?? ""}${answer}`);
  }
  for (const [index, { phase, told }] of state.attempts.entries()) {
    if (phase !== "asking" && phase !== "waiting" && phase !== "sealing") continue;
    for (const { kind, node, vote, era } of told) {
      views[node]?.push(`t${kind[0]}${index}${textOfVote(vote)}@${era}`);
    }
  }
  const attempts = state.attempts.map(
    ({ phase, asksLeft, token, floor, wasGranted }) =>
      `${phase[0]}${phase[1]}${asksLeft},${token},${floor},${wasGranted ? 1 : 0}`,
  );
  const { duplicatesLeft, expiriesLeft, crashesLeft, healsLeft, strangersLeft } = state;
  const nodes = views.map(([node, ...rest]) => `${node} ${rest.toSorted().join(" ")}`);
  return `${nodes.toSorted().join("|")}|${attempts.join(" ")}|${state.era}|${duplicatesLeft}${expiriesLeft}${crashesLeft}${healsLeft}${strangersLeft}`;
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
