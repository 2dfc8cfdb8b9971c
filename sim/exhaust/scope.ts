import { BATCH_SCRIPT } from "../../src/script/batch-script.js";
import { stepperOf, type NodeStepper } from "./node-step.js";

/** How much of the world is walked through, in whatever order its events can come. */
export interface Scope {
  /** By node: its counter at the start; undefined for none. */
  readonly fences: readonly (number | undefined)[];
  /** By attempt: its proposal. Attempts go to two clients by turns; a client's come one by one. */
  readonly proposals: readonly number[];
  /** Operations that may be delivered a second time, at any later moment. */
  readonly duplicateCount: number;
  /** Lock keys that may expire, each at any moment. */
  readonly expiryCount: number;
  /** Nodes that may crash and forget all; quarantine voids their acquire votes from then on. */
  readonly crashCount: number;
  /** Heals that holders may send. */
  readonly healCount: number;
  /** Grants of other names, each on one node, of the same bucket or of another one. */
  readonly strangerCount: number;
  /** Whether an attempt may be given up (a deadline, an abort) and rolled back before its end. */
  readonly canGiveUp: boolean;
}

/** The rules under test, so that a wrong one can be put in their place. */
export interface Rules {
  readonly stepOnNode: NodeStepper;
  /** `max`: what a quorum granted is held at once, with the largest fence for a token. */
  readonly token: "sealed" | "max";
}

export const REAL_RULES: Rules = { stepOnNode: stepperOf(BATCH_SCRIPT), token: "sealed" };
