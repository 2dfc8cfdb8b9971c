import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { root } from "../docs/project.js";

interface Result {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failing: readonly string[];
}
type RunMocha = (run: {
  root: string;
  spec: string[];
  args: string[];
  isAside: boolean;
}) => Promise<Result>;

describe("a run of mocha", function () {
  this.timeout(60_000);
  let dir: string;
  let runMocha: RunMocha;

  before(async () => {
    const file = pathToFileURL(join(root, "scripts", "run-mocha.mjs")).href;
    ({ runMocha } = (await import(file)) as { runMocha: RunMocha });
    dir = mkdtempSync(join(tmpdir(), "quorate-run-"));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const resultOf = (source: string): Promise<Result> => {
    const spec = join(dir, "some.test.cjs");
    writeFileSync(spec, source);
    return runMocha({ root, spec: [spec], args: [], isAside: true });
  };

  it("counts its tests, and says what failed in which of them", async () => {
    const { failing, ...counts } = await resultOf(`
      describe("outer", () => {
        it("works", () => {});
        it.skip("waits", () => {});
        it("breaks", () => { throw new Error("too bad"); });
      });
      describe("second", () => {
        afterEach(() => { throw new Error("left over"); });
        it("is fine", () => {});
      });
    `);
    expect(counts).to.include({ passed: 2, failed: 2, skipped: 1 });
    expect(failing).to.have.length(2);
    expect(failing[0]).to.match(/^outer › breaks\nError: too bad\n +at .*some\.test\.cjs/);
    expect(failing[1]).to.match(/^second › .*after each.*"is fine"\nError: left over\n/);
  });

  it("counts an end before the last test as a failure, and says so", async () => {
    const { passed, failed, failing } = await resultOf(`
      it("works", () => {});
      it("ends", () => { process.exit(7); });
    `);
    expect({ passed, failed }).to.deep.equal({ passed: 1, failed: 1 });
    expect(failing).to.deep.equal(["mocha ended early, with exit code 7"]);
  });

  it("counts a file that does not load as a failure", async () => {
    const { passed, failed, failing } = await resultOf(`throw new Error("no tests here");`);
    expect({ passed, failed }).to.deep.equal({ passed: 0, failed: 1 });
    expect(failing).to.deep.equal(["mocha ended early, with exit code 1"]);
  });
});
