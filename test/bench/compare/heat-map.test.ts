import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { HEAT_MAP } from "../../../bench/compare/heat-map.js";
import { comparisonChart } from "../../../bench/compare/published.js";
import { SCENARIOS } from "../../../bench/compare/scenarios/index.js";
import { SUBJECT_IDS } from "../../../bench/compare/subjects/index.js";
import { root } from "../../docs/project.js";

// `npm run compare -- --report` draws it anew.
describe("the picture of the comparison", () => {
  const { svg, alt } = comparisonChart();

  it("is that of the data, with a cell for each fault and library, light and dark", () => {
    expect(readFileSync(join(root, HEAT_MAP), "utf8") === svg).to.equal(true);
    const cells = svg.match(/<rect [^>]*class="(?:good|b|bad)"/g) ?? [];
    // Some have two halves, and the legend has three.
    expect(cells.length).to.be.above(SCENARIOS.length * SUBJECT_IDS.length + 3);
    expect(svg).to.include("prefers-color-scheme:dark");
  });

  it("says in words how often each library did what is expected", () => {
    for (const id of ["quorate", "redlock-universal"])
      expect(alt).to.match(new RegExp(`${id} \\d`));
  });
});
