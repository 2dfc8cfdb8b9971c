import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./broken-code.js";
import { withPin } from "./pins.js";
import { isTested } from "./row.js";
import { TABLES } from "./tables/index.js";

describe("a pin", () => {
  const row = (id: string, more: string): string =>
    `  {\n    id: "${id}",\n    means: "id: pin: { }",\n    seedBudget: 9,${more}\n  },\n`;
  const pinned = "\n    pin: { where: 0, seed: 7, ms: 20 },";
  const other = "\n    pin: { where: 1, seed: 8, ms: 9 },";

  for (const [title, pin, before, after] of [
    ["is added", { where: 0, seed: 7, ms: 20 }, "", pinned],
    [
      "may have times of its own",
      { where: 0, seed: 7, timing: 3, ms: 20 },
      other,
      "\n    pin: { where: 0, seed: 7, timing: 3, ms: 20 },",
    ],
    ["is replaced", { where: 0, seed: 7, ms: 20 }, other, pinned],
    ["is taken out", undefined, other, ""],
    ["may be missing already", undefined, "", ""],
  ] as const) {
    it(`${title}, in its row alone`, () => {
      const table = (its: string): string =>
        `const ROWS = [\n${row("a", other)}${row("a-b", its)}${row("b", "")}];\n`;
      expect(withPin(table(before), "a-b", pin)).to.equal(table(after));
    });
  }

  it("of a row that is not there is an error", () => {
    expect(() => withPin(row("a", ""), "b", undefined)).to.throw("no row b");
  });

  it("is where it is written in each row of the tables", () => {
    for (const [name, rows] of Object.entries(TABLES)) {
      const table = readFileSync(join(ROOT, `test/mutants/tables/${name}.ts`), "utf8");
      for (const row of rows) {
        if (!isTested(row)) expect(withPin(table, row.id, row.pin), row.id).to.equal(table);
      }
    }
  });
});
