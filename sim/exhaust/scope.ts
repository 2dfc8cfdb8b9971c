import { BATCH_SCRIPT } from "../../src/script/batch-script.js";
import { stepperOf, type NodeStepper } from "./node-step.js";

/** The part of the state space that is explored, with events in any order. */
export interface Scope {
  /** By node: its counter at the start; undefined for none. */
  readonly fences: readonly (number | undefined)[];
  /** By attempt: its proposal. Attempts alternate between two clients; a client makes one at a time. */
  readonly proposals: readonly number[];
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
  /** Whether an attempt may be given up (a deadline, an abort) and rolled back before its end. */
  readonly canGiveUp: boolean;
}

/** The rules under test, so that a wrong one can be substituted. */
export interface Rules {
  readonly stepOnNode: NodeStepper;
  /** `max`: a grant by a quorum is held immediately, with the largest fence as its token. */
  readonly token: "sealed" | "max";
}

export const REAL_RULES: Rules = { stepOnNode: stepperOf(BATCH_SCRIPT), token: "sealed" };
