import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { parseArguments } from "../../chaos/arguments.js";
import { runCampaign } from "../../chaos/campaign.js";
import { figuresOf, type Figures } from "../../chaos/verdict/figures.js";
import { itWhenLong } from "../support/it-when-long.js";
import { verdictOf, type Verdict } from "../../chaos/verdict/verdict.js";

interface Outcome {
  readonly verdict: Verdict;
  readonly figures: Figures;
}

/** For one search; nearly all are over within a tenth of it. */
const SEARCH_MS = 180_000;

describe("A campaign on real servers", () => {
  let scratchDir = "";
  before(() => {
    scratchDir = mkdtempSync(join(tmpdir(), "quorate-chaos-"));
  });
  after(() => rmSync(scratchDir, { recursive: true, force: true }));

  /** @param signal ends it early: what comes after the faults is not judged then */
  async function run(args: string, signal?: AbortSignal): Promise<Outcome> {
    const { settings } = parseArguments(args.split(" ")).orders[0];
    const records = await runCampaign(settings, { scratchDir, ...(signal && { signal }) });
    return { verdict: verdictOf(records, settings), figures: figuresOf(records, settings) };
  }

  const idsOf = ({ violations }: Verdict): Set<string> => new Set(violations.map(({ id }) => id));

  it("breaks no promise inside the model", async () => {
    const { verdict, figures } = await run("--seed 7 --minutes 0.15");
    expect(verdict.violations).to.deep.equal([]);
    // It would be a poor campaign in which nothing happened.
    expect(figures.faultCount).to.be.above(5);
    expect(figures.updateCount.fenced).to.be.above(50);
    expect(figures.results.acquire["granted"]).to.be.above(30);
  }).timeout(120_000);

  /**
   * A campaign is a search: how much of it a machine gets done in a time depends on what else that
   * machine does. So one seed after the other, until it has found what is looked for or most of the test's time is
   * over. It may find a consequence first: a key that is left blocks its name (L2) until it expires.
   *
   * @param forMs of the first; each further one takes twice as long, since on a busy machine most of a short one passes
   *   before its processes have started
   */
  async function search(args: string, wanted: string, forMs?: number): Promise<Verdict> {
    const endMs = performance.now() + SEARCH_MS;
    for (let runCount = 0; ; runCount++) {
      const seed = 7 + runCount;
      const signal = forMs === undefined ? undefined : AbortSignal.timeout(forMs * 2 ** runCount);
      const { verdict } = await run(`--seed ${seed} ${args}`, signal);
      if (idsOf(verdict).has(wanted) || performance.now() > endMs) return verdict;
    }
  }

  for (const { title, args, forMs, isLong = true } of [
    {
      title: "where nodes that forgot vote",
      args: "--minutes 1 --plant no-quarantine",
      forMs: 9_000,
      isLong: false,
    },
    {
      title: "where leases are not shortened by the drift of clocks",
      // Two clients a name: the more often a lease passes on, the more often the few ms show by which
      // two holders overlap.
      args: "--minutes 1 --plant no-drift --clients 12 --names 6",
      forMs: 45_000,
    },
    {
      title: "where keys have no margin for clocks that step",
      args: "--minutes 1 --plant no-margin",
      forMs: 13_000,
    },
    {
      title: "where validity is counted from the reply",
      args: "--minutes 1 --plant validity-from-reply",
      forMs: 13_000,
    },
  ]) {
    // Each rule is left out in the simulator in the usual run as well: here the judge of real servers is tested.
    (isLong ? itWhenLong : it)(`finds two holders ${title}`, async () => {
      const verdict = await search(args, "S1", forMs);
      expect(idsOf(verdict)).to.include("S1");
      // The store that looks at tokens is safe even so.
      expect(idsOf(verdict)).to.not.include("F2");
      expect(verdict.exitCode).to.equal(1);
    }).timeout(300_000);
  }

  it("finds keys that are left where a release is not kept for a node that is away", async () => {
    // The keys are looked for at the end. Of many names, since one that is left blocks its name.
    const verdict = await search("--minutes 0.15 --names 24 --plant release-to-reachable", "L3");
    expect(idsOf(verdict)).to.include("L3");
    expect(verdict.exitCode).to.equal(2);
  }).timeout(300_000);
});
