import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { root } from "../docs/project.js";

interface Script {
  readonly withAlt: (page: string, text: string, pictures: readonly object[]) => string;
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
});
