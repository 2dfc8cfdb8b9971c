import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { pages, root } from "./project.js";

/** In words. More has several conditions, of which a reader in a hurry keeps one. */
const LONGEST = 40;

/** Those that nobody wrote sentence by sentence: made by the bench and the comparison. */
const GENERATED = ["docs/explain/performance.md", "docs/explain/comparison.md"];

/** The sentences of a page, those in cells and items each on its own; without code and pictures. */
function sentencesOf(markdown: string): string[] {
  return markdown
    .replaceAll(/^( *)```[^]*?^ *```|!\[[^\]]*\]\([^)]*\)|<!--.*?-->/gm, "")
    .split(/\n\n|\n(?= *(?:[-|#]|\d+\.) ?)| \| /)
    .map((part) => part.split(/\s+/).join(" "))
    .flatMap((part) => part.split(/(?<=[.!?:;]\)?) (?=[A-Z`*[(])/));
}

const wordsIn = (sentence: string): number => sentence.split(" ").filter(Boolean).length;

describe("the sentences of the pages that users read", () => {
  const read = pages.filter(
    (page) => /^(?:README|docs\/(?!internals\/))/.test(page) && !GENERATED.includes(page),
  );

  for (const page of read) {
    it(`are short and whole in ${page}`, () => {
      const sentences = sentencesOf(readFileSync(join(root, page), "utf8"));
      expect(sentences.filter((text) => wordsIn(text) > LONGEST)).to.deep.equal([]);
      // What an edit has left of one.
      expect(sentences.filter((text) => /^[,;:.)]/.test(text))).to.deep.equal([]);
    });
  }

  it("are found", () => {
    expect(read.length).to.be.above(40);
    const text = "# A b\n\n- C d\n  e. F [g h](i).\n- J: k\n\n```\nl m\n```\n\n| n o | p |\n";
    expect(sentencesOf(text).map(wordsIn).filter(Boolean)).to.deep.equal([3, 4, 3, 3, 3, 2]);
  });
});
