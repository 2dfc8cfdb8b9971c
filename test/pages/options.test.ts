import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { optionTables } from "../../pages/options.js";
import { OPTION_NAMES, OPTIONS, type OptionRow } from "../../src/options/table.js";
import { root } from "../docs/project.js";

const comments = readFileSync(join(root, "src", "api", "options.ts"), "utf8");
const tables = Object.values(optionTables());
const rows = tables.flatMap((table) => table.split("\n").slice(2));

describe("the tables of options", () => {
  it("have all options, once, the everyday ones first", () => {
    const names = rows.map((row) => /^\| `(\w+)` \|/.exec(row)?.[1]);
    expect(names).to.have.members(OPTION_NAMES);
    expect(names.slice(0, 7)).to.deep.equal(OPTION_NAMES.slice(0, 7));
  });

  for (const name of OPTION_NAMES) {
    const { byDefault }: OptionRow<unknown> = OPTIONS[name];
    // The machine's name is said in words.
    if (byDefault === undefined || name === "label") continue;
    it(`begin with the default that it has: \`${name}\``, () => {
      const row = rows.find((line) => line.startsWith(`| \`${name}\` |`)) ?? "";
      expect(row).to.include(`| \`${literal(byDefault)}\``);
    });
  }

  it("follow the sources", () => {
    const all = (...given: Parameters<typeof optionTables>): string =>
      Object.values(optionTables(...given)).join("\n");
    expect(all({ ...OPTIONS, ttlMs: OPTIONS.keyPrefix })).to.not.equal(all());
    expect(all(OPTIONS, comments.replace("10_000", "11_000"))).to.not.match(/`10_000`/);
    expect(() => all({ ...OPTIONS, other: OPTIONS.ttlMs })).to.throw("`other` has no comment");
  });
});

/** As the source of a program would have it. */
function literal(value: unknown): string {
  if (typeof value === "number") return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, "_");
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${literal(field)}`);
  return `{ ${fields.join(", ")} }`;
}
