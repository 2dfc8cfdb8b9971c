import { expect } from "chai";
import { ROOT } from "./broken-code.js";
import { changedBy } from "./changed.js";
import { placeOf, readSources, Sources } from "./places.js";
import { changesOf, type Change } from "./row.js";
import { ALL_ROWS } from "./tables/index.js";
import { tokensOfPart } from "./tokens.js";

const TS = "src/a.ts";
const LUA = "src/script/a.lua";

const HINT = "another place is too much like it: let `find` have more of what is around it";

const sourcesOf = (texts: Record<string, string>): Sources =>
  new Sources(new Map(Object.entries(texts)));
const change = (find: string, replace: string, more: Partial<Change> = {}): Change => {
  return { file: TS, find, replace, ...more };
};
const applied = (texts: Record<string, string>, ...changes: readonly Change[]): string[] => [
  ...changedBy(changes, sourcesOf(texts)).values(),
];

describe("the place of a planted bug", () => {
  it("does not depend on layout, comments, types, quotation marks and commas before a bracket", () => {
    const text = `class A {
      private readonly size: Map<string, number> = new Map<string, number>();
      run<T>(this: A, a: T /* of, it */): boolean {
        // if (a)
        return (f as any)!(
          a,
          'b', // "c"
        );
      }
    }`;
    for (const find of ['return f(a, "b");', "return f(a, 'b',);"]) {
      expect(applied({ [TS]: text }, change(find, "null"))[0]).to.match(/\/\/ if \(a\)\n\s+null\n/);
    }
    const fits = ["size = new Map();", "run(this, a) {", "private size", "return"];
    const found = fits.map((find) => {
      try {
        return placeOf(change(find, ""), sourcesOf({ [TS]: text })).start > 0;
      } catch {
        return false;
      }
    });
    expect(found).to.deep.equal([true, true, false, true]);
  });

  it("is the only one in all sources of the language, wherever it was last seen", () => {
    const texts = { [TS]: "a();", "src/b.ts": "b(x);", [LUA]: "b(x)" };
    expect(applied(texts, change("b(x);", "c();"))).to.deep.equal(["c();"]);
    expect(applied(texts, change("b(x);", "c();", { file: "src/gone.ts" }))).to.deep.equal([
      "c();",
    ]);
    expect(applied(texts, change("b(x)", "c()", { file: LUA }))).to.deep.equal(["c()"]);
  });

  it("is the one at home where there are several, or the one inside of what the row says", () => {
    const twice = "function f() { b(x); } class A { g() { b(x); } }";
    const texts = { [TS]: "b(x);", "src/b.ts": twice };
    expect(applied(texts, change("b(x);", "c();"))).to.deep.equal(["c();"]);
    expect(() => applied(texts, change("b(x)", "", { file: "src/b.ts" }))).to.throw(
      "found 3 times",
    );
    const changed = (inside: string): string[] =>
      applied(texts, change("b(x);", "c();", { file: "src/b.ts", inside }));
    for (const inside of ["g", "A"]) {
      expect(changed(inside)).to.deep.equal(["function f() { b(x); } class A { g() { c(); } }"]);
    }
    expect(changed("f")).to.deep.equal(["function f() { c(); } class A { g() { b(x); } }"]);
    const lua = { [LUA]: "local function f() b(x) end\nlocal t = { drop = function() b(x) end }" };
    expect(applied(lua, change("b(x)", "c()", { file: LUA, inside: "f" }))[0]).to.match(
      /f\(\) c\(\)/,
    );
  });

  it("is found under other names, which the replacement takes over, at home first", () => {
    const row = change(
      "if (this.#left < quota) return one;",
      "if (this.#left <= quota) return this.#left;",
    );
    const text = (left: string, quota: string): string =>
      `x(); if (${left} < ${quota}) return one;`;
    expect(applied({ [TS]: text("this.#rest", "quota") }, row)).to.deep.equal([
      "x(); if (this.#rest <= quota) return this.#rest;",
    ]);
    // It was extracted into a function.
    expect(applied({ [TS]: "y();", "src/b.ts": text("left", "max") }, row)).to.deep.equal([
      "x(); if (left <= max) return left;",
    ]);
    const texts = { [TS]: text("a", "quota"), "src/b.ts": text("b", "quota") };
    expect(applied(texts, row)).to.deep.equal(["x(); if (a <= quota) return a;"]);
    expect(() =>
      applied({ [TS]: "", "src/b.ts": texts[TS], "src/c.ts": texts["src/b.ts"] ?? "" }, row),
    ).to.throw("found 2 times");
  });

  it("is nowhere where two names have become one, or anything but a name differs", () => {
    const row = change("a(b, c) + 1", "0");
    for (const text of ["a(b, b) + 1", "a(c, b) + 2", "a(b) + 1", "x(y, z) + 1", "a(b, 'c') + 1"]) {
      expect(() => applied({ [TS]: text }, row), text).to.throw("found nowhere");
    }
    expect(applied({ [TS]: "a(c, b) + 1" }, row), "two names changed places").to.deep.equal(["0"]);
  });

  it("may not overlap another of the same row", () => {
    expect(applied({ [TS]: "a(b(c));" }, change("a(", "x("), change("c)", "d)"))).to.deep.equal([
      "x(b(d));",
    ]);
    expect(() => applied({ [TS]: "a(b(c));" }, change("a(b", ""), change("b(c", ""))).to.throw(
      "overlap",
    );
  });
});

describe("the rows of the tables", () => {
  const sources = readSources(ROOT);
  const changes = ALL_ROWS.flatMap((row) => changesOf(row).map((each) => ({ id: row.id, each })));

  /** Many rows are about the same file, or the same name of it. */
  const known = new Map<string, Sources>();
  function once(title: string, altered: () => Sources): Sources {
    const among = known.get(title) ?? altered();
    known.set(title, among);
    return among;
  }

  it("fit when the file has another name and another layout, with comments everywhere", () => {
    const wrong = changes.flatMap(({ id, each }) => {
      const { file } = placeOf(each, sources);
      const moved = file.replace(/(\.\w+)$/, "-moved$1");
      const among = once(moved, () =>
        sources.with(
          new Map([
            [file, ""],
            [moved, commented(file)],
          ]),
        ),
      );
      return fitsIn(id, each, among, moved);
    });
    expect(wrong, HINT).to.deep.equal([]);
  });

  it("fit when any one of their names is another, and break the same code", () => {
    const wrong = changes.flatMap(({ id, each }) => {
      const { file } = placeOf(each, sources);
      const names = tokensOfPart(file, each.find).filter(({ isName }) => isName);
      return [...new Set(names.map(({ text }) => text))].flatMap((name) => {
        const among = once(`${file} ${name}`, () => sources.renamed(file, name, `${name}Renamed`));
        return fitsIn(`${id}, ${name}`, each, among, file);
      });
    });
    expect(wrong, HINT).to.deep.equal([]);
  });

  function fitsIn(title: string, each: Change, among: Sources, file: string): string[] {
    try {
      const place = placeOf(each, among);
      return place.file === file ? [] : [`${title}: found in ${place.file}`];
    } catch (error) {
      return [`${title}: ${String(error)}`];
    }
  }

  /** The file with a comment between any two of its tokens. */
  function commented(file: string): string {
    const text = sources.text(file);
    const tokens = sources.tokens(file).map(({ start, end }) => text.slice(start, end));
    return tokens.join(file.endsWith(".lua") ? " -- x\n  " : " /* x */ ");
  }
});
