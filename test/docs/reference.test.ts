import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { OPTION_NAMES, OPTIONS, type OptionRow } from "../../src/options/table.js";
import { tableKeysOf } from "./markdown.js";
import { root } from "./project.js";

const { withOptions } = (await import(join(root, "scripts", "reference.mjs"))) as {
  withOptions: (page: string, comments: string, options: object) => string;
};

const REFERENCE = join(root, "docs", "reference", "api.md");
const page = readFileSync(REFERENCE, "utf8");
const comments = readFileSync(join(root, "src", "api", "options.ts"), "utf8");

describe("the options in docs/reference/api.md", () => {
  it("are those of the sources: `npm run reference` would change nothing", () => {
    expect(withOptions(page, comments, OPTIONS)).to.equal(page);
  });

  it("are all there, once, the everyday ones first", () => {
    const headings = ["Options", "More options", "Options of the manager"];
    const tables = headings.map((heading) => tableKeysOf(REFERENCE, heading));
    expect(tables.flat()).to.have.members(OPTION_NAMES);
    expect(tables[0]).to.deep.equal(OPTION_NAMES.slice(0, 7));
  });

  for (const name of OPTION_NAMES) {
    const { byDefault }: OptionRow<unknown> = OPTIONS[name];
    // The machine's name is said in words.
    if (byDefault === undefined || name === "label") continue;
    it(`begin with the default that it has: \`${name}\``, () => {
      const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`)) ?? "";
      expect(row).to.include(`| \`${literal(byDefault)}\``);
    });
  }

  it("would be found out of date", () => {
    const [other, changed] = [{ ...OPTIONS, ttlMs: OPTIONS.keyPrefix }, /`10_000`/];
    expect(withOptions(page, comments, other)).to.not.equal(page);
    expect(withOptions(page, comments.replace("10_000", "11_000"), OPTIONS)).to.not.match(changed);
    expect(() => withOptions(page, comments, { ...OPTIONS, other: OPTIONS.ttlMs })).to.throw(
      "`other` has no comment",
    );
    expect(() => withOptions("# Reference", comments, OPTIONS)).to.throw("no marks");
  });
});

/** As the source of a program would have it. */
function literal(value: unknown): string {
  if (typeof value === "number") return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, "_");
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${literal(field)}`);
  return `{ ${fields.join(", ")} }`;
}
