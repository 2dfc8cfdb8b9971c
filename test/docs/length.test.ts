import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { pages, root } from "./project.js";

/** Two screens. */
const LINES = 100;

/** A page's sections that its beginning, up to the first of them, does not link to, if the page is long. */
function withoutContents(text: string): string[] {
  if (text.split("\n").length <= LINES) return [];
  const plain = text.replaceAll(/^( *)```[^]*?^ *```/gm, "");
  const [, ...headings] = plain.split(/^## +(.+)$/m).map((part, at) => (at % 2 === 1 ? part : ""));
  const beginning = plain.slice(0, plain.indexOf("\n## "));
  return (
    headings
      // What follows, which one reads last.
      .filter((heading) => heading !== "" && heading !== "Next")
      .filter((heading) => {
        const anchor = heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
          .replaceAll(" ", "-");
        return !beginning.includes(`(#${anchor})`);
      })
  );
}

describe("pages that people read to do something", () => {
  const read = pages.filter((page) => /^docs\/(?:start|how-to|operate)\//.test(page));

  for (const page of read) {
    it(`${page} fits two screens, or begins with a list of its sections`, () => {
      expect(withoutContents(readFileSync(join(root, page), "utf8"))).to.deep.equal([]);
    });
  }

  it("would be found out", () => {
    const long = `# A\n${"text\n".repeat(LINES)}\n## B c\n\n## D\n`;
    expect(withoutContents(long)).to.deep.equal(["B c", "D"]);
    expect(withoutContents(long.replace("# A", "# A\n\n[B c](#b-c)"))).to.deep.equal(["D"]);
    expect(withoutContents("# A\n\n## B\n")).to.deep.equal([]);
    expect(read.length).to.be.above(20);
  });
});
