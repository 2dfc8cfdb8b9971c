import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { plotsOf } from "../../bench/plots/index.js";
import { parseResults } from "../../bench/publish.js";
import { withFigures } from "../../bench/quotes.js";
import { report } from "../../bench/report.js";
import { marksOf } from "../../pages/marks.js";
import { pages, root } from "../docs/project.js";

const textOf = (...path: string[]): string => readFileSync(join(root, ...path), "utf8");

/** A figure of speed, memory or CPU, which only a measurement knows. */
const MEASURED =
  /\b\d[\d,.]*\d?(?: to \d[\d,.]*)? ?(?:µs|cycles|(?:hand-overs|locks|calls|acquires|grants|cycles)(?: (?:per|a) second|\/s)|% (?:of a core|interval|more CPU|CPU)|kB of heap|times (?:as|that|those|the|faster|slower))|\b[pP]99 of \d|\d ms at p99/g;

/** Prose without code, figures between marks, and pages that are data themselves. */
const unquotedIn = (page: string): string[] =>
  page
    .replaceAll(/<!-- (?!\/)([\w:.-]+) -->[^]*?<!-- \/\1 -->/g, "")
    .replaceAll(/^ *```[^]*?^ *```|`[^`\n]*`/gm, "")
    .match(MEASURED) ?? [];

// If one of these fails: `npm run bench -- --report` writes them anew.
describe("the published figures", () => {
  const results = parseResults(textOf("bench", "results", "latest.json"));

  const quotes = (page: string): boolean =>
    marksOf(textOf(page)).some((name) => name.startsWith("bench:"));
  for (const page of pages.filter(quotes)) {
    it(`are those of the data in ${page}`, () => {
      expect(withFigures(textOf(page), results)).to.equal(textOf(page));
    });
  }

  it("are those of the data, in the report and in the plots", () => {
    expect(textOf("bench", "results", "latest.md")).to.equal(report(results));
    for (const { file, svg } of plotsOf(results)) {
      expect(textOf("bench", "results", file), file).to.equal(svg);
    }
  });

  it("say when, where and by which command they were measured", () => {
    const page = textOf("docs", "explain", "performance.md");
    for (const [name, measured] of Object.entries(results)) {
      expect(page).to.include(measured.date.slice(0, 10)).and.include(measured.environment.cpu);
      expect(page).to.include(`\`--part ${name}\``);
    }
  });

  it("are the only ones: no page of users has another", () => {
    const others = pages.filter((page) => {
      return /^(?:README|docs\/(?:start|how-to|operate|explain|reference))/.test(page);
    });
    // What libraries did under faults is data of its own.
    for (const page of others.filter((name) => !name.endsWith("comparison.md"))) {
      expect(unquotedIn(textOf(page)), page).to.deep.equal([]);
    }
  });

  it("would be found, also between the marks", () => {
    for (const text of [
      "takes 12 µs",
      "47,318 locks per second",
      "5.8 times as many",
      "3.1 % of a core",
      "59 ms at p99",
    ]) {
      expect(unquotedIn(`It ${text}.`), text).to.have.length(1);
    }
    expect(unquotedIn("`12 µs` <!-- bench:a -->12 µs<!-- /bench:a --> 3 nodes")).to.have.length(0);
    const page = "<!-- bench:throughput -->1<!-- /bench:throughput -->";
    expect(withFigures(page, results)).to.not.equal(page);
    expect(() => withFigures("<!-- bench:no -->1<!-- /bench:no -->", results)).to.throw(
      'there is no figure "bench:no"',
    );
  });

  it("are not measured where a part was not", () => {
    const page = "<!-- bench:held -->\n<!-- /bench:held -->";
    expect(withFigures(page, {})).to.include("Not measured yet.");
  });
});
