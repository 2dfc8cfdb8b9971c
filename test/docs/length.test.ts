import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { pages, root } from "./project.js";

/** Two screens. */
const LINES = 90;

/** How many lines a page has where it is read, in a column of a hundred characters. */
function linesOf(text: string): number {
  const shown = text.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1");
  return shown
    .split("\n")
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 100)), 0);
}

/** A page's sections that its beginning, up to the first of them, does not link to, if the page is long. */
function withoutContents(text: string): string[] {
  if (linesOf(text) <= LINES) return [];
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

/** Of all pages for users: a path, not a heap. */
const MOST_LINES = 3_500;

describe("the pages that users read", () => {
  it("are not more than one can look through", () => {
    const lines = pages
      .filter((page) => /^docs\/(?!internals\/)/.test(page))
      .map((page) => readFileSync(join(root, page), "utf8").split("\n").length - 1);
    expect(lines.length).to.be.above(40);
    expect(lines.reduce((sum, count) => sum + count, 0)).to.be.at.most(MOST_LINES);
  });
});

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
    expect(withoutContents(`# A\n\n${"text ".repeat(2_000)}\n## B\n`)).to.deep.equal(["B"]);
    expect(read.length).to.be.above(20);
  });
});
