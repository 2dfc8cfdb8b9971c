import { expect } from "chai";
import type { Scenario } from "../../sim/scenario.js";
import { simulate } from "../../sim/simulate.js";
import { plainScenario, session } from "../support/sim/plain-scenario.js";

const CONTENDERS = 20;
const TURNS_EACH = 5;

/** Between two looks of one who waits. A crowd that gets in its own way needs many a hand-over. */
const LONGEST_PAUSE_MS = 100;

interface Crowd {
  /** What the way to the nodes that are not nearest adds to every delay, µs. */
  readonly farUs: number;
  readonly nodeCount?: number;
  readonly isDeaf?: boolean;
  readonly seed: number;
}

/** Twenty processes that want one name at once, each nearest to another node. */
function crowd({ farUs, nodeCount = 3, isDeaf = false, seed }: Crowd): Scenario {
  const workload = Array.from({ length: CONTENDERS * TURNS_EACH }, (_, index) =>
    session({
      atMs: 1_000,
      client: index % CONTENDERS,
      waitMs: 60_000,
      holdMs: 1,
      writeCount: 1,
    }),
  );
  const options = { ttlMs: 3_000, maxTtlMs: 3_000, isDeaf, maxDelayMs: LONGEST_PAUSE_MS };
  const plain = plainScenario({
    clients: CONTENDERS,
    nodeCount,
    options,
    workload,
    chaosMs: 61_000,
  });
  const distancesUs = Array.from({ length: CONTENDERS }, (_, client) =>
    Array.from({ length: nodeCount }, (__, node) => (node === client % nodeCount ? 0 : farUs)),
  );
  const network = { ...plain.network, meanDelayUs: 500 };
  return { ...plain, seed, network, distancesUs };
}

/** When the last of all wants was served, ms after they came. */
async function servedAfterMs(scenario: Scenario): Promise<number> {
  const { history, violations } = await simulate(scenario);
  expect(violations).to.deep.equal([]);
  const grants = history.events.filter(({ kind }) => kind === "grant" || kind === "passed");
  expect(grants).to.have.length(CONTENDERS * TURNS_EACH);
  return (grants.at(-1)?.atUs ?? 0) / 1_000 - 1_000;
}

describe("twenty contenders, each nearest to another node", () => {
  // Of virtual time. Where all are near it is a twentieth of that; where splits are common, half.
  for (const { title, ...given } of [
    { title: "all near", farUs: 0 },
    { title: "a little farther", farUs: 1_000 },
    { title: "far", farUs: 10_000 },
    { title: "far, over four nodes, which can split evenly", farUs: 10_000, nodeCount: 4 },
    { title: "far, and nobody hears that it is its turn", farUs: 10_000, isDeaf: true },
  ]) {
    it(`hand on for as long as one waits, and serve all: ${title}`, async () => {
      for (const seed of [1, 2]) {
        const wants = CONTENDERS * TURNS_EACH;
        expect(await servedAfterMs(crowd({ ...given, seed }))).to.be.below(
          wants * LONGEST_PAUSE_MS,
        );
      }
    });
  }
});
