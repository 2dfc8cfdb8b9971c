import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { ORACLE_IDS } from "../../sim/oracles/history.js";
import { misfits, ROOT } from "./broken-code.js";
import { resultsPage, whoNotices } from "./results-page.js";
import { isTested, type Row } from "./row.js";
import { runMutants, type Result } from "./run-mutants.js";
import { ALL_ROWS } from "./tables/index.js";

describe("each known bug of the field, planted into the code", () => {
  const results = new Map<Row, Result>();

  before(async function () {
    this.timeout(1_500_000);
    await runMutants(
      ALL_ROWS,
      () => ["pin", "few"],
      (row, result) => results.set(row, result),
    );
  });

  it("fits the sources at exactly one place", () => {
    expect(misfits(ALL_ROWS)).to.deep.equal([]);
  });

  it("has a name of its own", () => {
    const ids = ALL_ROWS.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).to.deep.equal([]);
  });

  it("leaves no oracle without a bug that it alone must find", () => {
    const alone = new Set(
      ALL_ROWS.flatMap((row) => (isTested(row) || row.noticedBy.length > 1 ? [] : row.noticedBy)),
    );
    expect(ORACLE_IDS.filter((id) => !alone.has(id))).to.deep.equal([]);
  });

  for (const row of ALL_ROWS) {
    const how = "barriers" in row ? ", and finds nothing where one of its two barriers stands" : "";
    it(`${whoNotices(row)} finds: ${row.means} (${row.id})${how}`, function () {
      const result = results.get(row);
      if (result === undefined || "error" in result) {
        expect.fail(`it did not run: ${result?.error ?? "no result"}`);
      }
      const { isNoticed, isSkipped, runCount, notes } = result;
      if (isSkipped === true) this.skip();
      const hint = `npm run mutants -- --search ${row.id}`;
      expect(isNoticed, `not in ${runCount} runs; ${notes.join(", ")}; ${hint}`).to.equal(true);
    });
  }

  it("is on the page of mutants", () => {
    const page = readFileSync(join(ROOT, "docs/internals/mutants.md"), "utf8");
    const pins = new Map(ALL_ROWS.map((row) => [row, isTested(row) ? undefined : row.pin]));
    expect(page, "npm run mutants -- --page writes it").to.equal(resultsPage(pins));
  });
});
