import type { NextTurn } from "../../../sim/world.js";
import type { Carried } from "../../../sim/link.js";
import { naively, NAIVE_ORACLES } from "../../../sim/naive/naively.js";
import { ORACLE_IDS } from "../../../sim/oracles/history.js";
import type { Scenario } from "../../../sim/scenario.js";
import { simulate, type RunResult } from "../../../sim/simulate.js";

export interface Played extends RunResult {
  /** The scenario that ran; on the naive side, its clients are marked as naive. */
  readonly scenario: Scenario;
  readonly messages: readonly Carried[];
}

/** One scenario, run twice: with a naive Redlock, and with Quorate. */
export interface Match {
  readonly naive: Played;
  readonly quorate: Played;
}

export type Side = keyof Match;
export const SIDES: readonly Side[] = ["naive", "quorate"];

/** Plays the same world, seed and faults with both. Every oracle judges Quorate, even outside of its promises. */
export async function play(scenario: Scenario, nextTurn?: NextTurn): Promise<Match> {
  const run = async (side: Side): Promise<Played> => {
    const messages: Carried[] = [];
    const onCarry = (carried: Carried): void => void messages.push(carried);
    const played = side === "naive" ? naively(scenario) : scenario;
    const oracles = side === "naive" ? NAIVE_ORACLES : ORACLE_IDS;
    const result = await simulate(played, { nextTurn, onCarry, oracles });
    const { violations, history, eventCount, traceHash } = result;
    return { violations, history, eventCount, traceHash, scenario: played, messages };
  };
  return { naive: await run("naive"), quorate: await run("quorate") };
}
