import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { fencesOf } from "./markdown.js";
import { root } from "./project.js";

/** Where the entries of the package were compiled to, together with this file. */
const ENTRIES: Readonly<Record<string, string>> = {
  quorate: new URL("../../src/index.js", import.meta.url).href,
  "quorate/testing": new URL("../../src/testing/index.js", import.meta.url).href,
};

describe("the test that docs/testing.md shows", function () {
  this.timeout(240_000);
  let dir = "";

  before(() => {
    mkdirSync(join(root, ".tmp"), { recursive: true });
    dir = mkdtempSync(join(root, ".tmp", "docs-"));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  it("passes on real servers, and leaves nothing that keeps its process alive", () => {
    const [shown] = fencesOf(join(root, "docs", "testing.md")).filter(({ code }) =>
      code.includes('from "quorate/testing"'),
    );
    const ttl = "{ ttlMs: 1_000 }";
    expect(shown?.code).to.include(ttl);
    // It would be lost on a machine that stands still for a moment.
    const { status, output } = run(shown?.code.replace(ttl, "{ nodeTimeoutMs: 5_000 }") ?? "");
    expect(status, output).to.equal(0);
    expect(output).to.match(/^# pass 1$/m);
  });

  /** Compiles it as a user's compiler would, for `await using`, and runs it. */
  function run(code: string): { status: number | null; output: string } {
    writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(
      join(dir, "shown.test.ts"),
      code.replaceAll(/from "(quorate[^"]*)"/g, (found, entry: string) =>
        found.replace(entry, ENTRIES[entry] ?? entry),
      ),
    );
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const flags = ["--target", "es2023", "--module", "nodenext", "--noCheck", "--ignoreConfig"];
    node(tsc, ...flags, "--types", "node", join(dir, "shown.test.ts"));
    return node("--test-reporter=tap", join(dir, "shown.test.js"));
  }

  function node(...args: string[]): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: dir,
      encoding: "utf8",
      timeout: 100_000,
    });
    return { status, output: stdout + stderr };
  }
});
