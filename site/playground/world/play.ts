import type { NextTurn } from "../../../sim/world.js";
import type { Carried } from "../../../sim/link.js";
import { naively, NAIVE_ORACLES } from "../../../sim/naive/naively.js";
import { ORACLE_IDS, type OracleId } from "../../../sim/oracles/history.js";
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
  const naive = await playOne(naively(scenario), NAIVE_ORACLES, nextTurn);
  return { naive, quorate: await playQuorate(scenario, nextTurn) };
}

export function playQuorate(scenario: Scenario, nextTurn?: NextTurn): Promise<Played> {
  return playOne(scenario, ORACLE_IDS, nextTurn);
}

async function playOne(
  scenario: Scenario,
  oracles: readonly OracleId[],
  nextTurn: NextTurn | undefined,
): Promise<Played> {
  const messages: Carried[] = [];
  const onCarry = (carried: Carried): void => void messages.push(carried);
  const result = await simulate(scenario, { nextTurn, onCarry, oracles });
  const { violations, history, eventCount, traceHash } = result;
  return { violations, history, eventCount, traceHash, scenario, messages };
}
