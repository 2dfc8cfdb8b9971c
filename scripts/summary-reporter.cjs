// Mocha's spec reporter, which also writes its totals and what failed to the file QUORATE_TEST_SUMMARY names.
const { writeFileSync } = require("node:fs");
const { default: Mocha, reporters } = require("mocha");

/** How long the process may keep running when all tests are over. */
const END_MS = 10_000;

const Spec = (reporters ?? Mocha.reporters).Spec;

module.exports = class SummaryReporter extends Spec {
  constructor(runner, options) {
    super(runner, options);
    let finished = false;
    let isLeft = false;
    const failing = [];
    runner.on("fail", (test, error) => {
      failing.push(`${test.titlePath().join(" › ")}\n${error?.stack ?? error}`);
    });
    runner.once("end", () => {
      finished = true;
      // Must not keep the process alive itself; a client left open by a failed test does that.
      setTimeout(() => {
        isLeft = true;
        const left = process.getActiveResourcesInfo().join(", ");
        failing.push(`The tests left something running: ${left}`);
        console.log(failing.at(-1));
        process.exit(1);
      }, END_MS).unref();
    });
    // Otherwise Node frees its resources first, and may wait without limit for a handle of a child that is gone.
    process.once("beforeExit", () => process.exit());
    // On exit, not on end, so that a run that breaks off still counts what it did.
    process.once("exit", () => {
      const { passes: passed, failures, pending: skipped } = this.stats;
      const failed = isLeft ? Math.max(1, failures) : failures;
      const summary = JSON.stringify({ passed, failed, skipped, finished, failing });
      writeFileSync(process.env.QUORATE_TEST_SUMMARY, summary);
    });
  }
};
