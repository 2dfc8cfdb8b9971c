import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parseArguments } from "../../bench/compare/arguments.js";
import { detailsPage, pageOf, type Published } from "../../bench/compare/published.js";
import { root } from "../docs/project.js";

const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), "utf8");

describe("docs/explain/comparison.md", () => {
  it("says what was observed, as `npm run compare -- --report` writes it", () => {
    const results = JSON.parse(read("bench", "results", "compare.json")) as Published;
    expect(read("docs", "explain", "comparison.md")).to.equal(pageOf(results));
    expect(read("bench", "results", "compare.md")).to.equal(detailsPage());
    const [first, ...others] = results.results;
    const other = { ...first, cell: "granted after 7 ms" } as Published["results"][number];
    const page = pageOf({ ...results, results: [other, ...others] });
    expect(page).to.include("granted after 7 ms").and.not.equal(pageOf(results));
  });

  it("is written without running anything only if that is asked for", () => {
    expect(parseArguments(["--report"])).to.include({ isReport: true, isComplete: true });
    expect(parseArguments([])).to.include({ isReport: false, isComplete: true });
    expect(parseArguments(["--only", "tie-2"])).to.include({ isReport: false, isComplete: false });
  });
});
