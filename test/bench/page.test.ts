import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withFigures } from "../../bench/page.js";
import { plotsOf } from "../../bench/plots/index.js";
import { parseResults } from "../../bench/publish.js";
import { withSpeeds } from "../../bench/readme.js";
import { report } from "../../bench/report.js";
import { root } from "../docs/project.js";

const textOf = (...path: string[]): string => readFileSync(join(root, ...path), "utf8");

// If one of these fails: `npm run bench -- --report` writes them anew.
describe("the published figures", () => {
  const results = parseResults(textOf("bench", "results", "latest.json"));

  it("are those of the data, on the pages", () => {
    const page = textOf("docs", "explain", "performance.md");
    expect(withFigures(page, results)).to.equal(page);
    const readme = textOf("README.md");
    expect(withSpeeds(readme, results)).to.equal(readme);
  });

  it("are those of the data, in the report and in the plots", () => {
    expect(textOf("bench", "results", "latest.md")).to.equal(report(results));
    for (const { file, svg } of plotsOf(results)) {
      expect(textOf("bench", "results", file), file).to.equal(svg);
    }
  });
});
