import {
  clockJumpOfTwo,
  clockStep,
  clockStepOfAll,
  clockStepOfOnly,
  clockStepOfTwo,
  restartEmpty,
} from "./forgotten-vote.js";
import { lateLanding } from "./late-landing.js";
import { lateQuorum } from "./late-quorum.js";
import { majorityFrozen } from "./majority-frozen.js";
import { minorityAcquire } from "./minority-acquire.js";
import { minorityHold } from "./minority-hold.js";
import { DEAD, FROZEN } from "./node-fault.js";
import { outlivedLock } from "./outlived-lock.js";
import type { Scenario } from "./scenario.js";
import { splitVote } from "./split-vote.js";
import { stall } from "./stall.js";
import { tiedVote } from "./tied-vote.js";

/** Every scenario, in the order of the rows. */
export const SCENARIOS: readonly Scenario[] = [
  tiedVote(2),
  tiedVote(4),
  splitVote,
  minorityAcquire(FROZEN),
  minorityHold(FROZEN),
  minorityAcquire(DEAD),
  minorityHold(DEAD),
  majorityFrozen,
  lateQuorum,
  lateLanding,
  restartEmpty,
  clockStep,
  clockStepOfTwo,
  clockStepOfAll,
  clockStepOfOnly,
  clockJumpOfTwo,
  stall,
  outlivedLock,
];

export function scenarioOf(id: string): Scenario {
  const scenario = SCENARIOS.find((one) => one.id === id);
  if (scenario === undefined) throw new RangeError(`no scenario "${id}"`);
  return scenario;
}
