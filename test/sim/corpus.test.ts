import { expect } from "chai";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { loadFailure } from "../../sim/cli/failure-file.js";
import { simulate } from "../../sim/simulate.js";

/** Scenarios that broke a promise once, and what was found by them is repaired. */
const CORPUS = join("test", "sim", "corpus");

describe("what was broken once", () => {
  for (const file of readdirSync(CORPUS)) {
    it(`stays whole: ${file}`, async () => {
      const { violations } = await simulate(loadFailure(join(CORPUS, file)).scenario);
      expect(violations).to.deep.equal([]);
    });
  }
});
