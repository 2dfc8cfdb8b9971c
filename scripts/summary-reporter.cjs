// Mocha's spec reporter, which also writes its totals to the file QUORATE_TEST_SUMMARY names.
const { writeFileSync } = require("node:fs");
const { default: Mocha, reporters } = require("mocha");

const Spec = (reporters ?? Mocha.reporters).Spec;

module.exports = class SummaryReporter extends Spec {
  constructor(runner, options) {
    super(runner, options);
    let finished = false;
    runner.once("end", () => {
      finished = true;
    });
    // On exit and not on end, so that a run that breaks off still counts what it did.
    process.once("exit", () => {
      const { passes: passed, failures: failed, pending: skipped } = this.stats;
      const summary = JSON.stringify({ passed, failed, skipped, finished });
      writeFileSync(process.env.QUORATE_TEST_SUMMARY, summary);
    });
  }
};
