import { expect } from "chai";
import { plainScenario, session } from "../support/sim/plain-scenario.js";
import type { Row } from "./row.js";
import { runMutants, type Result } from "./run-mutants.js";
import type { Effort } from "./runner.js";

const HALF = {
  file: "src/protocol/quorum.ts",
  find: "Math.floor(nodeCount / 2) + 1",
  replace: "1",
} as const;
const NOTHING = { ...HALF, replace: HALF.find } as const;

/** Each of two reaches another node: with a quorum of one, both hold the name. */
const APART = plainScenario({
  clients: 2,
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 300 }),
    session({ atMs: 1_100, client: 1, holdMs: 100 }),
  ],
  faults: [
    { kind: "partition", atMs: 900, client: 0, node: 1, way: "both", forMs: 1_000 },
    { kind: "partition", atMs: 900, client: 0, node: 2, way: "both", forMs: 1_000 },
    { kind: "partition", atMs: 900, client: 1, node: 0, way: "both", forMs: 1_000 },
  ],
});
const ALONE = plainScenario({ clients: 1, workload: [session({ atMs: 1_000, client: 0 })] });

const simulated = { where: [ALONE, APART], noticedBy: ["S1"], seedBudget: 150 } as const;

interface Case {
  readonly title: string;
  readonly row: Row;
  readonly efforts: readonly Effort[];
  readonly gives: RegExp;
}

const CASES: readonly Case[] = [
  {
    title: "a bug is noticed in the run that is pinned",
    row: { id: "pinned", means: "", ...HALF, ...simulated, pin: { where: 1, seed: 2, ms: 1 } },
    efforts: ["pin"],
    gives: /^noticed with seed 2 in run 1: .*S1/,
  },
  {
    title: "a bug is noticed in one of a few runs where its pin does not hold",
    row: {
      ...{ id: "few", means: "", ...HALF, ...simulated },
      pin: { where: 0, seed: 1, ms: 1 },
    },
    efforts: ["pin", "few"],
    gives: /^noticed with seed \d+ in run [2-5]: .*S1/,
  },
  {
    title: "a pin that does not hold is not noticed",
    row: { id: "wrong", means: "", ...NOTHING, ...simulated, pin: { where: 0, seed: 1, ms: 1 } },
    efforts: ["pin"],
    gives: /^not noticed in 1 runs: $/,
  },
  {
    title: "what is not a bug is not noticed, in 50 runs",
    row: { id: "none", means: "", ...NOTHING, ...simulated },
    efforts: ["pin", "few"],
    gives: /^not noticed in 50 runs: $/,
  },
  {
    title: "another oracle than the row's does not count",
    row: { id: "other", means: "", ...HALF, ...simulated, noticedBy: ["L5"] },
    efforts: ["few"],
    gives: /^not noticed in 50 runs: .*S1 fires/,
  },
  {
    title: "what does not fit the sources is not run",
    row: { id: "misfit", means: "", ...HALF, find: "Math.floor(nodeCount / 3) + 1", ...simulated },
    efforts: ["few"],
    gives: /^it does not fit the sources$/,
  },
  {
    title: "a bug is noticed by a test",
    row: { id: "tested", means: "", ...HALF, test: "test/protocol/quorum.test.ts" },
    efforts: ["pin"],
    gives: /^noticed with seed undefined in run 1: \w/,
  },
  {
    title: "a bug is not noticed by a test that has nothing to do with it",
    row: { id: "unmoved", means: "", ...HALF, test: "test/protocol/owner-id.test.ts" },
    // The second time, too.
    efforts: ["pin", "few"],
    gives: /^not noticed in 1 runs: [1-9]\d* tests passed$/,
  },
  {
    title: "a test that does not exist notices nothing",
    row: {
      ...{ id: "missing", means: "", ...HALF },
      ...{ test: "test/protocol/quorum.test.ts", grep: "no such title" },
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
