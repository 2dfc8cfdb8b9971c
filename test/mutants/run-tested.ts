import Mocha from "mocha";
import { addressOf } from "./hooks.js";
import { BUILD, entryOf } from "./broken-code.js";
import type { TestedRow } from "./row.js";
import type { Outcome } from "./runner.js";

/** A file that has been imported once says nothing of its tests again. */
let runCount = 0;

/** Results of the tests with the code as it is, by file and titles. */
const passing = new Map<string, Promise<TestRun>>();

interface TestRun {
  readonly testCount: number;
  readonly skippedCount: number;
  /** Titles of those that failed. */
  readonly failed: readonly string[];
}

/** Runs the row's test with the broken code, and before that once as it is. */
export async function runTested(row: TestedRow): Promise<Outcome> {
  const key = `${row.test} ${row.grep ?? ""}`;
  const known = passing.get(key) ?? runTest(row, `as-it-is-${passing.size}`);
  passing.set(key, known);
  const sound = await known;
  const outcome = { isNoticed: false, by: [], runCount: 1, notes: [] };
  if (sound.testCount === 0 && sound.skippedCount > 0) return { ...outcome, isSkipped: true };
  if (sound.testCount === 0) return { ...outcome, notes: ["there is no such test"] };
  if (sound.failed.length > 0)
    return { ...outcome, failsAnyway: true, notes: [`it fails anyway: ${sound.failed[0]}`] };
  const { failed, testCount } = await runTest(row, row.id);
  const notes = failed.length > 0 ? [] : [`${testCount} tests passed`];
  return { ...outcome, isNoticed: failed.length > 0, by: failed, notes };
}

/** In this process, on modules of their own. */
async function runTest(row: TestedRow, mutant: string): Promise<TestRun> {
  const mocha = new Mocha({ reporter: Silent, timeout: 60_000, bail: true });
  if (row.grep !== undefined) mocha.fgrep(row.grep);
  const address = `${addressOf(new URL(entryOf(row), BUILD).href, mutant)}&run=${++runCount}`;
  // Not by mocha itself, which would load the file with require, and so only once.
  mocha.suite.emit("pre-require", globalThis, address, mocha);
  await import(address);
  mocha.suite.emit("post-require", globalThis, address, mocha);
  return new Promise((resolve) => {
    const failed: string[] = [];
    const runner = mocha.run(() => {
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
      resolve({ testCount: passes + failures, skippedCount: pending, failed });
      mocha.dispose();
    });
    runner.on("fail", (test) => failed.push(test.fullTitle()));
  });
}

/** A reporter that reports nothing. */
class Silent extends Mocha.reporters.Base {
  override epilogue(): void {}
}
