import { expect } from "chai";
import type { History, HistoryEvent, HistorySettings } from "../../../sim/oracles/history.js";
import type { Oracle } from "../../../sim/oracles/judge.js";
import { historyOf } from "./events.js";

export interface OracleCase {
  readonly title: string;
  readonly events: readonly HistoryEvent[];
  readonly settings?: Partial<HistorySettings>;
}

/** One test a history: the good ones must pass, the bad ones must be found, each exactly once. */
export function judgeCases(
  oracle: Oracle,
  id: string,
  good: readonly OracleCase[],
  bad: readonly OracleCase[],
): void {
  const run = ({ events, settings = {} }: OracleCase): string[] => {
    const history: History = historyOf(events, settings);
    return oracle(history).map((violation) => violation.id);
  };
  for (const aCase of good) {
    it(`passes ${aCase.title}`, () => expect(run(aCase)).to.deep.equal([]));
  }
  for (const aCase of bad) {
    it(`finds ${aCase.title}`, () => expect(run(aCase)).to.deep.equal([id]));
  }
}
