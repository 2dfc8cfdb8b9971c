import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { comparisonChart, readComparison, runsIn } from "../../../bench/compare/published.js";
import { page } from "../../../bench/compare/report.js";
import { SCENARIOS } from "../../../bench/compare/scenarios/index.js";
import { SUBJECT_IDS } from "../../../bench/compare/subjects/index.js";
import { root } from "../../docs/project.js";

// `npm run compare` writes them anew.
describe("the published comparison", () => {
  const comparison = readComparison();

  it("is that of the data, on its page", () => {
    const text = readFileSync(join(root, "docs", "explain", "comparison.md"), "utf8");
    expect(page(SCENARIOS, SUBJECT_IDS, runsIn(comparison), comparison.versions)).to.equal(text);
  });

  it("has a picture with a cell for each fault and library, light and dark", () => {
    const { svg, alt } = comparisonChart();
    const cells = svg.match(/<rect [^>]*class="(?:good|b|bad)"/g) ?? [];
    // Some have two halves, and the legend has three.
    expect(cells.length).to.be.above(SCENARIOS.length * SUBJECT_IDS.length + 3);
    expect(svg).to.include("prefers-color-scheme:dark");
    for (const id of ["quorate", "redlock-universal"])
      expect(alt).to.match(new RegExp(`${id} \\d`));
  });
});
