import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { anchorsOf, fencesOf, linksOf } from "./markdown.js";
import { pages, root } from "./project.js";
import { typeCheck, type Sample } from "./type-check.js";

/** What compiles on its own: parts of an example are compiled with it. */
function samples(): Sample[] {
  return pages.flatMap((page) =>
    fencesOf(join(root, page))
      .filter(({ language, from }) => language === "ts" && from === undefined)
      .map(({ code, line }) => ({ page, line, code })),
  );
}

/** An example as users would write it. */
function exampleAt(path: string): string {
  return readFileSync(join(root, path), "utf8")
    .replace('"../src/index.js"', '"quorate"')
    .replaceAll(/"\.\.\/src\/(\w+)\/index\.js"/g, '"quorate/$1"')
    .trim();
}

/** Whether the code, without its indentation, stands in a text; in parts if it has lines `// ...`. */
function standsIn(text: string, code: string): boolean {
  const plain = (some: string): string => some.replaceAll(/^ +/gm, "").trim();
  return plain(code)
    .split("\n// ...\n")
    .every((part) => part !== "" && `\n${plain(text)}\n`.includes(`\n${part.trim()}\n`));
}

describe("the pages", function () {
  this.timeout(240_000);

  it("show code that compiles, and would be found out if it did not", () => {
    expect(samples()).to.have.length.above(5);
    const page = "some.md";
    const errors = typeCheck([
      ...samples(),
      { page, line: 7, code: 'import { LockManager } from "quorate";\nnew LockManager(7);' },
      { page, line: 40, code: 'await locks.acquire("a", { ttl: 5 });' },
    ]);
    expect(errors.map((error) => error.split(": ")[0])).to.have.members([
      "some.md:8:17",
      "some.md:40:28",
    ]);
  });

  it("show parts of the examples as they are", () => {
    let count = 0;
    for (const page of pages) {
      for (const { code, line, from } of fencesOf(join(root, page))) {
        if (from === undefined) continue;
        expect(standsIn(exampleAt(from), code), `${page}:${line} in ${from}`).to.equal(true);
        count++;
      }
    }
    expect(count).to.be.above(25);
    expect(standsIn("{\n  a;\n  b;\n}", "a;\nb;")).to.equal(true);
    expect(standsIn("a;\nb;\nc;", "a;\n// ...\nc;")).to.equal(true);
    expect(standsIn("ab;\n", "b;")).to.equal(false);
  });

  it("mention every example", () => {
    const names = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"));
    const page = readFileSync(join(root, "examples", "README.md"), "utf8");
    for (const name of names) expect(page).to.include(`](${name})`);
  });

  for (const page of pages) {
    it(`${page} has no dead links`, () => {
      const dead = linksOf(join(root, page)).filter((link) => isDead(page, link));
      expect(dead).to.deep.equal([]);
    });
  }

  it("exist that messages of the sources name", () => {
    const named = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap(
        (name) => readFileSync(join(root, "src", name), "utf8").match(/docs\/[\w/-]+\.md/g) ?? [],
      );
    expect(named).to.include("docs/operate/permissions.md");
    for (const page of named) expect(existsSync(join(root, page)), page).to.equal(true);
  });

  it("would be found out if a link were dead", () => {
    expect(isDead("docs/internals/protocol.md", "no-such-page.md")).to.equal(true);
    expect(isDead("docs/internals/protocol.md", "../operate/sizing.md#no-such-heading")).to.equal(
      true,
    );
    expect(isDead("docs/internals/protocol.md", "../operate/sizing.md#memory")).to.equal(false);
  });
});

describe("README.md", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");

  it("is read to its end", () => {
    expect(readme.split("\n")).to.have.length.below(181);
  });

  it("begins with a program that runs as it is pasted", () => {
    const [first] = fencesOf(join(root, "README.md")).filter(({ language }) => language === "ts");
    expect(first?.code.trim()).to.equal(exampleAt("examples/request.ts"));
    // As JavaScript, which has no types.
    const dir = mkdtempSync(join(tmpdir(), "quorate-readme-"));
    const file = join(dir, "lock.mjs");
    writeFileSync(file, first?.code ?? "");
    const { status, stderr } = spawnSync(process.execPath, ["--check", file], { encoding: "utf8" });
    rmSync(dir, { recursive: true });
    expect(status, stderr).to.equal(0);
  });
});

describe("docs/explain/faq.md", () => {
  it("lets Jest compile the package and those of its dependencies that are ES modules", () => {
    const text = readFileSync(join(root, "docs", "explain", "faq.md"), "utf8");
    const [, names = ""] =
      /transformIgnorePatterns: \["\/node_modules\/\(\?!\((.+)\)\/\)"\]/.exec(text) ?? [];
    const { dependencies } = packageJson(root) as { dependencies: object };
    const modules = Object.keys(dependencies).filter(
      (name) => packageJson(join(root, "node_modules", name)).type === "module",
    );
    expect(names.split("|")).to.have.members(["quorate", ...modules]);
  });
});

describe("the tables of members", () => {
  /** Of an interface of the face; those of its own file. */
  const membersOf = (file: string, name: string): string[] => {
    const source = readFileSync(join(root, "src", "api", file), "utf8");
    const [, body = ""] =
      new RegExp(`^export interface ${name} .*\\{\n([^]*?)^\\}`, "m").exec(source) ?? [];
    return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[?]?[:(]/gm)].map(
      ([, member = ""]) => member,
    );
  };

  for (const [page, heading, file, name, known] of [
    ["reference/api.md", "The lock", "lock.ts", "Lock", []],
    // As of a lock, or with the election.
    ["how-to/election.md", "A term", "election.ts", "Term", ["name"]],
  ] as const) {
    it(`list every member of a ${name}, and no other: ${page}`, () => {
      const text = readFileSync(join(root, "docs", page), "utf8");
      const [section = ""] = text.split(/^## /m).filter((part) => part.startsWith(`${heading}\n`));
      const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = ""]) => cell);
      const listed = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)(?:\(.*?\))?`/g)]);
      const members = membersOf(file, name);
      expect(members).to.have.length.above(8);
      expect([...listed.map(([, member]) => member), ...known]).to.have.members(members);
    });
  }
});

function packageJson(dir: string): { readonly type?: string } {
  return JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as { readonly type?: string };
}

function isDead(page: string, link: string): boolean {
  if (/^https?:/.test(link)) return false;
  const [path = "", anchor] = link.split("#");
  const file = path === "" ? join(root, page) : join(root, dirname(page), path);
  if (!existsSync(file)) return true;
  return anchor !== undefined && !anchorsOf(file).includes(anchor);
}
