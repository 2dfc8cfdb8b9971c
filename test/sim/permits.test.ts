import { expect } from "chai";
import { ORACLE_IDS } from "../../sim/oracles/history.js";
import { simulate } from "../../sim/simulate.js";
import { threeOfTwo } from "../mutants/scenarios/kinds.js";

describe("Three that want one of two permits, and reach three nodes in three orders", () => {
  it("K1, L6: are never let in all three, nor kept out all three", async () => {
    const grantCounts: number[] = [];
    for (let seed = 1; seed <= 25; seed++) {
      const { violations, history } = await simulate(
        { ...threeOfTwo, seed },
        { oracles: ORACLE_IDS },
      );
      expect(violations, `seed ${seed}`).to.deep.equal([]);
      const grants = history.events.filter(({ kind }) => kind === "grant");
      grantCounts.push(grants.length);
    }
    // None of them waits, and none ends before all have asked. A split leaves none of them without one.
    expect(new Set(grantCounts)).to.include(2);
    expect(grantCounts.every((count) => count === 1 || count === 2)).to.equal(true);
  });
});
