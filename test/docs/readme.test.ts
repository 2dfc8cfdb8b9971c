import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { LeasedLock } from "../../src/manager/lock.js";
import { anchorsOf, fencesOf, linksOf } from "./markdown.js";
import { pages, root } from "./project.js";
import { typeCheck, type Sample } from "./type-check.js";

/** Examples that a page shows in full. The others are only linked. */
const SHOWN = [
  "request.ts",
  "acquire.ts",
  "try-acquire.ts",
  "elect.ts",
  "shared.ts",
  "semaphore.ts",
  "reentrant.ts",
  "owners.ts",
  "redisson.ts",
  "timestamp.ts",
  "web-locks.ts",
  "lock-delay.ts",
  "fencing.ts",
  "fencing-redis.ts",
  "fencing-postgres.ts",
  "http-server.ts",
  "croner.ts",
  "bullmq.ts",
  "jobs.ts",
  "rate-limit.ts",
  "payment.ts",
  "cache.ts",
  "migrate.ts",
  "webhook.ts",
  "worker-id.ts",
];

function samples(): Sample[] {
  return pages.flatMap((page) =>
    fencesOf(join(root, page))
      .filter(({ language }) => language === "ts")
      .map(({ code, line }) => ({ page, line, code })),
  );
}

describe("the pages", function () {
  this.timeout(240_000);

  it("show code that compiles", () => {
    expect(samples()).to.have.length.above(5);
    expect(typeCheck(samples())).to.deep.equal([]);
  });

  it("would be found out if their code did not compile", () => {
    const page = "some.md";
    const errors = typeCheck([
      { page, line: 7, code: 'import { LockManager } from "quorate";\nnew LockManager(7);' },
      { page, line: 40, code: 'await locks.acquire("a", { ttl: 5 });' },
    ]);
    expect(errors.map((error) => error.split(": ")[0])).to.have.members([
      "some.md:8:17",
      "some.md:40:28",
    ]);
  });

  it("show the examples as they are", () => {
    const shown = new Set(samples().map(({ code }) => code.trim()));
    for (const name of SHOWN) {
      const code = readFileSync(join(root, "examples", name), "utf8");
      const asUser = code
        .replace('"../src/index.js"', '"quorate"')
        .replace('"../src/fencing/index.js"', '"quorate/fencing"')
        .trim();
      expect(shown.has(asUser), `examples/${name} in a page`).to.equal(true);
    }
  });

  it("mention every example", () => {
    const names = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"));
    const page = readFileSync(join(root, "docs", "start", "getting-started.md"), "utf8");
    for (const name of names) expect(page).to.include(`examples/${name}`);
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

  it("link only to what the package has, too", () => {
    const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
    const { stdout } = spawnSync("npm", args, { cwd: root, encoding: "utf8" });
    const [{ files }] = JSON.parse(stdout) as [{ readonly files: readonly { path: string }[] }];
    const packed = files.map(({ path }) => path);
    const missing = packed
      .filter((path) => path.endsWith(".md"))
      .flatMap((page) =>
        linksOf(join(root, page))
          .filter((link) => !/^https?:|^#/.test(link))
          .map((link) => join(dirname(page), link.split("#")[0] ?? ""))
          .filter((path) => !packed.includes(path))
          .map((path) => `${page}: ${path}`),
      );
    expect(missing).to.deep.equal([]);
    expect(packed).to.include.members(["README.md", "docs/internals/protocol.md"]);
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
    const example = readFileSync(join(root, "examples", "request.ts"), "utf8");
    expect(first?.code.trim()).to.equal(example.replace('"../src/index.js"', '"quorate"').trim());
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

describe("docs/reference/api.md", () => {
  const reference = join(root, "docs", "reference", "api.md");

  it("lists every member of a lock", () => {
    const members = Object.getOwnPropertyNames(LeasedLock.prototype).filter(
      (name) => name !== "constructor",
    );
    const text = readFileSync(reference, "utf8");
    for (const name of members)
      expect(text).to.match(new RegExp(`^\\| .*\`${name}(\\(.*?\\))?\``, "m"));
  });
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
