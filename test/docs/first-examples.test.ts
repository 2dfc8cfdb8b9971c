import { join } from "node:path";
import { expect } from "chai";
import { fencesOf } from "./markdown.js";
import { pages, root } from "./project.js";

/** The pages that are read, and copied from, first. */
const FIRST = ["README.md", join("docs", "start", "getting-started.md")];

/** Code of a page, in TypeScript or JavaScript. */
function codeOf(page: string): readonly { readonly at: string; readonly code: string }[] {
  return fencesOf(join(root, page))
    .filter(({ language }) => language === "ts" || language === "js")
    .map(({ line, code }) => ({ at: `${page}:${line}`, code }));
}

/** A lock that ends with its scope, or in whose callback the work is done. */
const HOLDS = /await using lock\b|async \(lock\) =>/;

/** What other pages would have to take back: names that are gone, and secrets that are not handed out by accident. */
const GONE =
  /\b(?:fencing|minValidityMs|bootstrap): |JSON\.stringify\(lock\)|\block\.ownerId\b|locks\.query\("|\bLock<(?:true|false)>/;

describe("The first examples", () => {
  for (const page of FIRST) {
    it(`check that the lock is held before work that needs it: ${page}`, () => {
      const holding = codeOf(page).filter(({ code }) => HOLDS.test(code));
      expect(holding).to.have.length.above(0);
      const unchecked = holding.filter(({ code }) => !code.includes("lock.assertHeld()"));
      expect(unchecked.map(({ at }) => at)).to.deep.equal([]);
    });
  }

  it("and all others have nothing that is gone", () => {
    const all = pages.filter((page) => page !== "CHANGELOG.md").flatMap(codeOf);
    expect(all).to.have.length.above(50);
    expect(all.filter(({ code }) => GONE.test(code)).map(({ at }) => at)).to.deep.equal([]);
  });

  it("would be found if they had", () => {
    expect(GONE.test("{ fencing: false }") && GONE.test("JSON.stringify(lock)")).to.equal(true);
    expect(GONE.test("JSON.stringify(lock.handOver())")).to.equal(false);
  });
});
