import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { root } from "../docs/project.js";

interface Script {
  readonly withAlt: (page: string, text: string, pictures: readonly object[]) => string;
  readonly withTables: (page: string, text: string, tables: readonly object[]) => string;
}

describe("npm run pictures", () => {
  let script: Script;
  before(async () => {
    script = (await import(pathToFileURL(join(root, "scripts", "pictures.mjs")).href)) as Script;
  });

  it("writes what a picture says where it is shown, and leaves other images alone", () => {
    const all = [{ file: "docs/pictures/life.svg", alt: "A lock." }];
    const text = [
      "![](../pictures/life.svg)",
      "![old](../pictures/other.svg)",
      '<img src="../pictures/life.svg" alt="old">',
    ];
    expect(script.withAlt("docs/start/page.md", text.join("\n"), all).split("\n")).to.deep.equal([
      "![A lock.](../pictures/life.svg)",
      "![old](../pictures/other.svg)",
      '<img src="../pictures/life.svg" alt="A lock.">',
    ]);
  });

  it("writes a table between its marks, as often as it runs", () => {
    const tables = [{ page: "a.md", name: "t", markdown: "| a |" }];
    const page = "before\n<!-- t -->\n<!-- /t -->\nafter";
    const once = script.withTables("a.md", page, tables);
    expect(once).to.equal("before\n<!-- t -->\n\n| a |\n\n<!-- /t -->\nafter");
    expect(script.withTables("a.md", once, tables)).to.equal(once);
    expect(script.withTables("b.md", page, tables)).to.equal(page);
    expect(() => script.withTables("a.md", "no marks", tables)).to.throw("a.md has no marks");
  });
});
