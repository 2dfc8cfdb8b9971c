import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "./project.js";

interface Row {
  readonly rule: string;
  readonly file: string;
  readonly look: string;
}

/** Rows of the table: a rule, the file that has it, and what to look for there. */
function rows(page: string): readonly Row[] {
  const table = page.slice(page.indexOf("## Where is"));
  return [...table.matchAll(/^\| ([^|]+) \| `([^`|]+)` \| `([^`|]+)` \|$/gm)].map(
    ([, rule = "", file = "", look = ""]) => ({ rule, file, look }),
  );
}

describe("CONTRIBUTING.md", () => {
  const all = rows(readFileSync(join(root, "CONTRIBUTING.md"), "utf8"));

  it("says of many rules where they are", () => {
    expect(all).to.have.length.above(29);
    expect(new Set(all.map(({ rule }) => rule)).size).to.equal(all.length);
  });

  for (const { rule, file, look } of all) {
    it(`says the truth of: ${rule}`, () => {
      const path = join(root, file);
      expect(existsSync(path), file).to.equal(true);
      const code = readFileSync(path, "utf8");
      expect(new RegExp(`\\b${look}\\b`).test(code), `${look} in ${file}`).to.equal(true);
    });
  }
});
