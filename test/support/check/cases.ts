import { expect } from "chai";
import type { HistoryEvent, HistorySettings, OracleId } from "../../../sim/oracles/history.js";
import { ORACLES, type Oracle } from "../../../sim/oracles/judge.js";
import { historyOf } from "./events.js";

export interface OracleCase {
  readonly title: string;
  readonly events: readonly HistoryEvent[];
  readonly settings?: Partial<HistorySettings>;
}

/** One test a history: the good ones must pass, the bad ones must be found, each exactly once. */
export function judgeCases(
  judging: OracleId | Oracle,
  good: readonly OracleCase[],
  bad: readonly OracleCase[],
): void {
  const run = ({ events, settings = {} }: OracleCase): string[] => {
    const messages: string[] = [];
    const oracle = typeof judging === "string" ? ORACLES[judging] : judging;
    oracle(historyOf(events, settings), (_, message) => void messages.push(message));
    return messages;
  };
  for (const aCase of good) {
    it(`passes ${aCase.title}`, () => expect(run(aCase)).to.deep.equal([]));
  }
  for (const aCase of bad) {
    it(`finds ${aCase.title}`, () => expect(run(aCase)).to.have.lengthOf(1));
  }
}
