import { expect } from "chai";
import { simulate } from "../../sim/simulate.js";
import { corpusNames, fromCorpus } from "../support/sim/corpus.js";

describe("what was broken once", () => {
  for (const name of corpusNames()) {
    it(`stays whole: ${name}`, async () => {
      const { violations } = await simulate(fromCorpus(name));
      expect(violations).to.deep.equal([]);
    });
  }
});
