import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { PUBLISHED_DIR, withCampaigns, type Published } from "../../chaos/publish.js";
import { root } from "../docs/project.js";

const textOf = (...path: string[]): string => readFileSync(join(root, ...path), "utf8");

// `npm run chaos -- --publish` writes them anew.
describe("the published campaigns", () => {
  const published = JSON.parse(textOf(PUBLISHED_DIR, "latest.json")) as Published;
  const page = textOf("docs", "internals", "faults.md");

  it("are those of the data on the page, with their command, day and machine", () => {
    expect(withCampaigns(page, published)).to.equal(page);
    expect(page).to.include(`\`${published.command}\`, ${published.date.slice(0, 10)}; `);
  });

  it("broke no promise, and have their report", () => {
    for (const { verdict } of published.campaigns) expect(verdict.violations).to.deep.equal([]);
    expect(existsSync(join(root, PUBLISHED_DIR, "latest.html"))).to.equal(true);
  });

  it("would be found out if the page had others", () => {
    const [first] = published.campaigns;
    if (first === undefined) throw new Error("there is no campaign");
    const settings = { ...first.settings, seed: 7 };
    const other = { ...published, campaigns: [{ ...first, settings }] };
    expect(withCampaigns(page, other)).to.include("| 7 | ").and.not.equal(page);
  });
});
