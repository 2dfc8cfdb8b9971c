import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { fencesOf } from "./markdown.js";
import { root } from "./project.js";

/** Where the entries of the package were compiled to, together with this file. */
const ENTRIES: Readonly<Record<string, string>> = {
  quorate: new URL("../../src/index.js", import.meta.url).href,
  "quorate/memory": new URL("../../src/memory/index.js", import.meta.url).href,
  "quorate/testing": new URL("../../src/testing/index.js", import.meta.url).href,
};

/** What the page uses of Vitest, which the project does not: its fake timers are those of Sinon. */
const VITEST = `
import assert from "node:assert/strict";
import * as FakeTimers from "@sinonjs/fake-timers";

export { afterEach, beforeEach, it } from "node:test";

let clock;
export const vi = {
  useFakeTimers() {
    clock = FakeTimers.install({ now: Date.now(), toNotFake: ["nextTick", "queueMicrotask"] });
  },
  useRealTimers: () => clock.uninstall(),
  advanceTimersByTimeAsync: (ms) => clock.tickAsync(ms),
};
export const expect = (value) => ({ toBe: (expected) => assert.equal(value, expected) });
`;

const PAGE = join(root, "docs", "how-to", "testing.md");

describe("the tests that docs/how-to/testing.md shows", function () {
  this.timeout(240_000);
  let dir = "";

  before(() => {
    mkdirSync(join(root, ".tmp"), { recursive: true });
    dir = mkdtempSync(join(root, ".tmp", "docs-"));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  it("pass on real servers, and leave nothing that keeps their process alive", () => {
    const [shown] = fencesOf(PAGE).filter(
      ({ code }) => code.includes('from "quorate/testing"') && code.includes('from "node:test"'),
    );
    const ttl = "{ ttlMs: 1_000 }";
    expect(shown?.code).to.include(ttl);
    // It would be lost on a machine that stands still for a moment.
    const { status, output } = run(shown?.code.replace(ttl, "{ nodeTimeoutMs: 5_000 }") ?? "");
    expect(status, output).to.equal(0);
    expect(output).to.match(/^# pass 1$/m);
  });

  it("can empty the nodes before each test, as it is shown", () => {
    const [shown] = fencesOf(PAGE).filter(({ code }) => code.includes("import { flushNodes"));
    const { status, output } = run(shown?.code ?? "");
    expect(status, output).to.equal(0);
    expect(output).to.match(/^first true\nsecond true\nthird true$/m);
  });

  it("pass with the fake timers of vitest, as they are shown", () => {
    const shown = fencesOf(PAGE).filter(({ code }) => code.includes('from "vitest"'));
    expect(shown).to.have.length(1);
    writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(dir, "vitest.js"), VITEST);
    writeFileSync(join(dir, "timers.test.js"), resolved(shown[0]?.code ?? ""));
    expectOnePassed(join(dir, "timers.test.js"));
  });

  it("pass with the fake timers of node:test", () => {
    expectOnePassed(fileURLToPath(new URL("../../examples/fake-timers.js", import.meta.url)));
  });

  function expectOnePassed(file: string): void {
    const { status, output } = node("--test-reporter=tap", file);
    expect(status, output).to.equal(0);
    expect(output).to.match(/^# pass 1$/m);
  }

  /** With the modules of this build in place of the packages. */
  function resolved(code: string): string {
    const entries: Readonly<Record<string, string>> = { ...ENTRIES, vitest: "./vitest.js" };
    return code.replaceAll(/from "([^"]+)"/g, (found, entry: string) =>
      found.replace(entry, entries[entry] ?? entry),
    );
  }

  /** Compiles it as a user's compiler would, for `await using`, and runs it. */
  function run(code: string): { status: number | null; output: string } {
    writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(dir, "shown.test.ts"), resolved(code));
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
