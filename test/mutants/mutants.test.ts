import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { checkFit, loadCatalog } from "./catalog.js";
import type { Mutant } from "./mutant.js";
import { resultsPage } from "./results-page.js";
import { runMutants, type Result } from "./run-mutants.js";
import type { Job } from "./worker.js";

/** The pin first; all seeds only if it does not hold any more. */
function jobsFor(mutant: Mutant): readonly Job[] {
  const pinned: Job = { mutant, isSearch: false };
  return [pinned, { mutant, isSearch: true }];
}

const catalog = await loadCatalog();

describe("each known bug of the field, planted into the code", () => {
  const results = new Map<Mutant, Result>();

  before(async function () {
    this.timeout(1_500_000);
    await runMutants(catalog, jobsFor, (mutant, result) => results.set(mutant, result));
  });

  it("still fits the sources", () => {
    for (const mutant of catalog) checkFit(mutant);
  });

  for (const mutant of catalog) {
    const { id, title, killer } = mutant;
    const isPair = "barriers" in mutant;
    const how = isPair ? ", and finds nothing where one of its two barriers stands" : "";
    it(`${killer.join(" or ")} finds: ${title} (${id})${how}`, () => {
      const result = results.get(mutant);
      if (result === undefined || "error" in result) {
        expect.fail(`it did not run: ${result?.error ?? "no result"}`);
      }
      const { kill, fired, runCount, notes } = result;
      expect(kill, `it survives ${runCount} runs; ${notes.join(", ")}`).to.not.equal(undefined);
      expect(fired).to.include.oneOf([...killer]);
    });
  }

  it("are on the page of mutants", () => {
    const page = readFileSync(
      fileURLToPath(new URL("../../../docs/mutants.md", import.meta.url)),
      "utf8",
    );
    const pins = new Map(catalog.map((mutant) => [mutant, mutant.killedBy]));
    expect(page, "node build/test/mutants/search.js --page writes it").to.equal(resultsPage(pins));
  });
});
