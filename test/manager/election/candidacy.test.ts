import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import * as fc from "fast-check";
import { Candidacy } from "../../../src/manager/election/candidacy.js";
import { compiled, ROOT } from "../../mutants/broken-code.js";
import { changedBy } from "../../mutants/changed.js";
import { readSources } from "../../mutants/places.js";
import {
  brokenRule,
  ScriptedElectorate,
  STEPS,
  type ScriptedTerm,
  type Step,
} from "../../support/election.js";
import { rejectionOf } from "../../support/settle.js";

const SOURCES = readSources(ROOT);
const RETRY = { minDelayMs: 10, maxDelayMs: 100 };
const steps = fc.array(fc.constantFrom<Step>(...STEPS), { maxLength: 9 });

type CandidacyClass = typeof Candidacy<ScriptedTerm>;
const stand = (Class: CandidacyClass) => (electorate: ScriptedElectorate) =>
  new Class(electorate, RETRY, () => {});

describe("a candidacy", () => {
  it("keeps its rules through any sequence of elections, losses, resignations and ends", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        expect(await brokenRule(stand(Candidacy), sequence)).to.equal(undefined);
      }),
      { numRuns: 600 },
    );
  });

  it("does nothing before somebody asks", () => {
    const electorate = new ScriptedElectorate();
    stand(Candidacy)(electorate);
    expect(electorate.campaigns).to.deep.equal([]);
  });

  it("campaigns at once for its first term, and after ever longer pauses where it keeps losing", async () => {
    const electorate = new ScriptedElectorate();
    const candidacy = stand(Candidacy)(electorate);
    for (let count = 0; count < 6; count++) await takeTerm(candidacy, electorate, (t) => t.lose());
    const afterLosses = electorate.campaigns.map(({ delayMs }) => delayMs);
    expect(afterLosses).to.deep.equal([0, 25, 45, 55, 55, 55]);
    // A term that was not lost makes up for them.
    await takeTerm(candidacy, electorate, () => {});
    await takeTerm(candidacy, electorate, () => {});
    expect(electorate.campaigns.at(-1)?.delayMs).to.equal(15);
  });

  it("tells what waiting cannot cure once, and is done after that", async () => {
    const electorate = new ScriptedElectorate();
    const candidacy = stand(Candidacy)(electorate);
    const rejected = rejectionOf(candidacy.next());
    const hopeless = new Error("hopeless");
    electorate.fail(hopeless);
    expect(await rejected).to.equal(hopeless);
    expect(await candidacy.next()).to.deep.equal({ done: true, value: undefined });
  });
});

async function takeTerm(
  candidacy: Candidacy<ScriptedTerm>,
  electorate: ScriptedElectorate,
  work: (term: ScriptedTerm) => void,
): Promise<void> {
  const next = candidacy.next();
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  electorate.elect();
  const { value } = await next;
  if (value === undefined) throw new Error("no term");
  work(value);
}

interface Bug {
  readonly title: string;
  readonly find: string;
  readonly replace: string;
  /** The rule that it breaks. */
  readonly breaks: RegExp;
}

/** Bugs to plant, each of which the rules must find. */
const BUGS: readonly Bug[] = [
  {
    title: "a term that was lost before it was seen is handed out",
    find: "if (!term.isHeld) {",
    replace: "if (false) {",
    breaks: /a term that is over was handed out/,
  },
  {
    title: "resigning does not release",
    find: "this.#resigning = term.resign();",
    replace: "this.#resigning = Promise.resolve();",
    breaks: /is left when it is over|before the term was released|more than one/,
  },
  {
    title: "the campaign goes on after the end",
    find: "this.#campaign?.abort();",
    replace: "",
    breaks: /a campaign is left/,
  },
  {
    title: "a campaign begins after the end",
    find: "#run(delayMs) { if (this.#isOver) return;",
    replace: "#run(delayMs) {",
    breaks: /a campaign is left/,
  },
  {
    title: "a term that is won while it ends is kept",
    find: "if (this.#isOver) this.#resign(); else",
    replace: "",
    breaks: /a term is left/,
  },
  {
    title: "two who wait are two campaigns",
    find: "if (this.#waiting !== undefined)",
    replace: "if (false)",
    breaks: /more than one campaign|waits for no campaign/,
  },
  {
    title: "it ends before the release is through",
    find: "await this.#resigning;",
    replace: "",
    breaks: /before the term was released/,
  },
  {
    title: "a term is kept when the next is asked for",
    find: "const term = this.#term; this.#term = undefined;",
    replace: "const term = undefined;",
    breaks: /more than one|is left when it is over|before the term was released/,
  },
];

describe("the rules of a candidacy", () => {
  for (const [index, bug] of BUGS.entries()) {
    it(`find it out if ${bug.title}`, async () => {
      const Broken = await withBug(index, bug);
      const found = await fc.check(
        fc.asyncProperty(
          steps,
          async (sequence) => (await brokenRule(stand(Broken), sequence)) === undefined,
        ),
        { numRuns: 1_500, endOnFailure: true, seed: 7 },
      );
      const [sequence = []] = found.counterexample ?? [];
      expect(await brokenRule(stand(Broken), sequence)).to.match(bug.breaks);
    });
  }
});

/** The module with one change, loaded from beside the original. */
async function withBug(index: number, { find, replace }: Bug): Promise<CandidacyClass> {
  const change = { file: "src/manager/election/candidacy.ts", find, replace };
  const [[, text] = ["", ""]] = await compiled(changedBy([change], SOURCES));
  const original = new URL("../../../src/manager/election/candidacy.js", import.meta.url);
  const file = new URL(`candidacy--bug-${process.pid}-${index}.js`, original);
  writeFileSync(fileURLToPath(file), text);
  try {
    const module = (await import(file.href)) as { Candidacy: CandidacyClass };
    return module.Candidacy;
  } finally {
    rmSync(fileURLToPath(file));
  }
}
