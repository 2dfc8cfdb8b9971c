import type { Clock, NodePort } from "../../src/coordinator/ports.js";
import { Schedule } from "../../src/coordinator/schedule.js";
import { Sealing } from "../../src/coordinator/sealing.js";
import type { Vote } from "../../src/protocol/operation.js";
import { drawnToken } from "../../src/protocol/fencing.js";
import { tallyOf, verdict } from "../../src/protocol/quorum.js";
import type { Rules } from "./scope.js";
import type { Told } from "./state.js";

/** Deadlines are events of their own here: nothing ever expires by time. */
const NO_CLOCK: Clock = {
  now: () => 0,
  steady: () => 0,
  wallUs: () => 0,
  setTimer: () => ({ cancel: () => {} }),
  defer: () => {},
  detached: () => {},
};

/** The search sends what is asked itself. */
const NO_NODE: NodePort = { name: "", submit: () => {}, voteOf: () => undefined };

/** The state of an attempt after the answers so far, and the effect of the last one. */
export interface Standing {
  readonly phase: "asking" | "sealing" | "held" | "over";
  /** 0 where none was fixed. */
  readonly token: number;
  /** Nodes that are sent a seal now. */
  readonly asked: readonly number[];
}

/**
 * The production verdict and the production sealing, fed with all answers again from the start: their state is
 * private, and a search needs states that it can copy.
 */
export function standingAfter(nodeCount: number, told: readonly Told[], rules: Rules): Standing {
  const votes: (Vote | undefined)[] = Array.from({ length: nodeCount }, () => undefined);
  let phase: Standing["phase"] = "asking";
  let asked: number[] = [];
  let sealing: Sealing | undefined;
  const listener = {
    askSeal: (node: number) => void asked.push(node),
    onSealed: (sealed: Sealing) => {
      phase = sealed.verdict === "won" ? "held" : "over";
    },
  };
  for (const { kind, node, vote } of told) {
    asked = [];
    if (kind === "seal") {
      sealing?.onSealVote(node, sealing.token, vote);
      continue;
    }
    votes[node] = vote;
    if (sealing !== undefined) {
      sealing.onAcquireVote(node, vote);
      continue;
    }
    const decided = verdict(tallyOf(votes));
    if (decided === "lost") phase = "over";
    if (decided !== "won") continue;
    phase = "sealing";
    const context = {
      nodes: votes.map(() => NO_NODE),
      schedule: new Schedule(NO_CLOCK),
      observer: {},
    };
    sealing = new Sealing(context, 1, drawnToken(votes).token, votes, listener);
    if (rules.token === "max") phase = "held";
    else sealing.start(0);
  }
  return { phase, token: sealing?.token ?? 0, asked };
}
