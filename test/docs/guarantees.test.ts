import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "./project.js";

const ID = /^[A-Z]\d$/;
const read = (...path: readonly string[]): string =>
  readFileSync(join(root, "docs", ...path), "utf8");
const page = read("reference", "guarantees.md");
const tables = read("internals", "promises.md");

/** Cells of all rows of tables of a page. */
function rows(text: string): readonly (readonly string[])[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.slice(2, -2).split(" | "));
}

/** Code that the change of a row takes away, and which has to be there for that. */
function codeTakenAway(change: string): readonly string[] {
  const taken = /(?:delete(?: the line)?(?: with)?|leave out|after the line|\bfor) `([^`]+)`/g;
  return [...change.matchAll(taken)].map(([, code = ""]) => code.replace(/\(?\.\.\.\)?;?$/, ""));
}

describe("docs/reference/guarantees.md and docs/internals/promises.md", () => {
  const promised = rows(page).flatMap(([id = ""]) => (ID.test(id) ? id : []));
  const changes = rows(tables).filter(([, , change]) => change?.includes("`src/"));

  it("says of every promise how to see it broken", () => {
    expect(promised).to.have.length.above(29);
    const seen = rows(tables).map(([id = ""]) => id);
    expect(promised.filter((id) => !seen.includes(id))).to.deep.equal([]);
  });

  it("names changes of code that is there", () => {
    expect(changes).to.have.length.above(30);
    const missing = changes.flatMap(([id, , change = ""]) => {
      const files = [...change.matchAll(/`(src\/[^`]+)`/g)].map(([, file = ""]) => file);
      const absent = files.filter((file) => !existsSync(join(root, file)));
      if (absent.length > 0) return absent.map((file) => `${id}: ${file}`);
      const code = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
      return codeTakenAway(change).flatMap((part) =>
        code.includes(part) ? [] : `${id}: ${part} in ${files.join()}`,
      );
    });
    expect(missing).to.deep.equal([]);
  });

  it("would be found out if the code had moved", () => {
    expect(codeTakenAway("`a.ts`, `drain`: delete `timer.cancel();`")).to.deep.equal([
      "timer.cancel();",
    ]);
    expect(codeTakenAway("`a.lua`: `if true` for `if is_ours`")).to.deep.equal(["if is_ours"]);
  });

  it("names tests that are there", () => {
    const files = [
      ...tables.matchAll(/`((?:integration|conformance|coordinator)\/[\w-]+)\.test\.ts`/g),
    ];
    expect(files).to.have.length.above(20);
    for (const [, file] of files)
      expect(existsSync(join(root, "test", `${file}.test.ts`)), file).to.equal(true);
  });
});
