import { BATCH_SCRIPT } from "../../src/script/batch-script.js";
import { stepperOf, type NodeStepper } from "./node-step.js";

/** The part of the state space that is explored, with events in any order. */
export interface Scope {
  /** By node: its counter at the start; undefined for none. */
  readonly fences: readonly (number | undefined)[];
  /** By attempt: its proposal. Attempts go round the clients; a client makes one at a time. */
  readonly proposals: readonly number[];
  readonly clientCount: number;
  /**
   * How often an attempt asks that waits in the nodes' queues, with its acquire left there; where one of its client
   * ends, the next goes on in its place. 0: nobody waits.
   */
  readonly askCount: number;
  /** How often the life of a key may pass: all locks and all that is stored for a while are over then. */
  readonly eraCount: number;
  /** Operations that may be delivered a second time, at any later moment. */
  readonly duplicateCount: number;
  /** Lock keys that may expire, each at any moment. */
  readonly expiryCount: number;
  /** Nodes that may crash and lose their data; from then on quarantine voids their acquire votes. */
  readonly crashCount: number;
  /** Heals that holders may send. */
  readonly healCount: number;
  /** Grants of other names, each on one node, of the same bucket or of another one. */
  readonly strangerCount: number;
  /** What has happened already where the search begins: the texts of events. */
  readonly after: readonly string[];
  /** Whether an attempt may be given up (a deadline, an abort) and rolled back before its end. */
  readonly canGiveUp: boolean;
}

/** The rules under test, so that a wrong one can be substituted. */
export interface Rules {
  readonly stepOnNode: NodeStepper;
  /** `max`: a grant by a quorum is held immediately, with the largest fence as its token. */
  readonly token: "sealed" | "max";
  /** When a lock begins that a node grants by a message: with the call that it names, or with the message. */
  readonly messageFrom: "call" | "message";
  /** When a lock begins that several calls and messages grant: with the first of them, or with the last. */
  readonly roundFrom: "first" | "last";
}

export const REAL_RULES: Rules = {
  stepOnNode: stepperOf(BATCH_SCRIPT),
  token: "sealed",
  messageFrom: "call",
  roundFrom: "first",
};
