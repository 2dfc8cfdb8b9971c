import { expect } from "chai";
import type { Row } from "./row.js";
import { runMutants, type Result } from "./run-mutants.js";
import type { Effort } from "./runner.js";

const HALF = {
  file: "src/protocol/verdict.ts",
  find: "Math.floor(nodeCount / 2) + 1",
  replace: "1",
} as const;
const NOTHING = { ...HALF, replace: HALF.find } as const;
const simulated = { where: ["calm"], noticedBy: ["S1", "S2"], seedBudget: 150 } as const;

interface Case {
  readonly title: string;
  readonly row: Row;
  readonly efforts: readonly Effort[];
  readonly gives: RegExp;
}

const CASES: readonly Case[] = [
  {
    title: "a bug is noticed in the run that is pinned",
    row: { id: "pinned", means: "", ...HALF, ...simulated, pin: { where: 0, seed: 2, ms: 1 } },
    efforts: ["pin"],
    gives: /^noticed with seed 2 in run 1: .*S[12]/,
  },
  {
    title: "a bug is noticed in one of a few runs where its pin does not hold",
    row: {
      ...{ id: "few", means: "", ...HALF, ...simulated },
      pin: { where: 0, seed: 1, ms: 1 },
    },
    efforts: ["pin", "few"],
    gives: /^noticed with seed (?!1 )\d+ in run (?!1:)\d+: .*S[12]/,
  },
  {
    title: "a pin that does not hold is not noticed",
    row: { id: "wrong", means: "", ...NOTHING, ...simulated, pin: { where: 0, seed: 1, ms: 1 } },
    efforts: ["pin"],
    gives: /^not noticed in 1 runs: $/,
  },
  {
    title: "what is not a bug is not noticed, with 50 seeds",
    row: { id: "none", means: "", ...NOTHING, ...simulated },
    efforts: ["pin", "few"],
    gives: /^not noticed in 50 runs: $/,
  },
  {
    title: "another oracle than the row's does not count",
    row: { id: "other", means: "", ...HALF, ...simulated, noticedBy: ["L5"] },
    efforts: ["few"],
    gives: /^not noticed in 50 runs: .*S[12] fires/,
  },
  {
    title: "what does not fit the sources is not run",
    row: { id: "misfit", means: "", ...HALF, find: "Math.floor(nodeCount / 3) + 1", ...simulated },
    efforts: ["few"],
    gives: /^it does not fit the sources$/,
  },
  {
    title: "a bug is noticed by a test",
    row: { id: "tested", means: "", ...HALF, test: "test/protocol/verdict.test.ts" },
    efforts: ["pin"],
    gives: /^noticed with seed undefined in run 1: \w/,
  },
  {
    title: "a bug is not noticed by a test that has nothing to do with it",
    row: { id: "unmoved", means: "", ...HALF, test: "test/protocol/owner-id.test.ts" },
    efforts: ["pin"],
    gives: /^not noticed in 1 runs: [1-9]\d* tests passed$/,
  },
  {
    title: "a test that does not exist notices nothing",
    row: {
      ...{ id: "missing", means: "", ...HALF },
      ...{ test: "test/protocol/verdict.test.ts", grep: "no such title" },
    },
    efforts: ["pin"],
    gives: /^not noticed in 1 runs: there is no such test$/,
  },
];

describe("a planted bug", () => {
  const results = new Map<string, Result>();

  before(async () => {
    await runMutants(
      CASES.map(({ row }) => row),
      ({ id }) => CASES.find(({ row }) => row.id === id)?.efforts ?? [],
      ({ id }, result) => results.set(id, result),
    );
  });

  for (const { title, row, gives } of CASES) {
    it(title, () => {
      expect(inWords(results.get(row.id))).to.match(gives);
    });
  }
});

function inWords(result: Result | undefined): string {
  if (result === undefined || "error" in result) return result?.error ?? "no result";
  const { isNoticed, pin, runCount, by, notes } = result;
  if (!isNoticed) return `not noticed in ${runCount} runs: ${notes.join(", ")}`;
  return `noticed with seed ${pin?.seed} in run ${runCount}: ${by.join(", ")}`;
}
