import { expect } from "chai";
import { askNodes, type HoldingQuestion } from "../../src/cli/holding.js";
import type { LockReport } from "../../src/index.js";

const NAME = "nightly";
const HOLDER = { fingerprint: "0123abcd", isQuorate: true };

/** A report of that many nodes, so many of which have answered. */
function report(
  nodeCount: number,
  answeredCount: number,
  holders: readonly { fingerprint: string; isQuorate: boolean }[],
  fencingToken?: number,
): LockReport {
  const nodes = Array.from({ length: nodeCount }, (_, index) => ({
    state: index < answeredCount ? "held" : "unanswered",
  }));
  return { name: NAME, nodes, holders, fencingToken } as unknown as LockReport;
}

async function answer(given: LockReport, question: Partial<HoldingQuestion> = {}) {
  const asked: string[] = [];
  const inspect = async (name: string): Promise<LockReport> => {
    asked.push(name);
    return given;
  };
  const found = await askNodes({ inspect }, { name: NAME, token: 7, ...question });
  expect(asked).to.deep.equal([NAME]);
  return found;
}

describe("Whether a lock is held, by the nodes", () => {
  for (let nodeCount = 1; nodeCount <= 7; nodeCount++) {
    it(`is known once more than half of ${nodeCount} have answered`, async () => {
      for (let answeredCount = 0; answeredCount <= nodeCount; answeredCount++) {
        const isKnown = answeredCount > nodeCount / 2;
        const held = report(nodeCount, answeredCount, [HOLDER], 7);
        expect(await answer(held), `${answeredCount}`).to.deep.equal({ isKnown, isHeld: isKnown });
        const free = report(nodeCount, answeredCount, [], 7);
        expect(await answer(free), `${answeredCount}`).to.deep.equal({ isKnown, isHeld: false });
      }
    });
  }

  const OTHER = { ...HOLDER, fingerprint: "fedc9876" };
  const WEAK = { ...HOLDER, isQuorate: false };
  const CASES: readonly (readonly [
    what: string,
    holders: readonly (typeof HOLDER)[],
    fence: number | undefined,
    fingerprint: string | undefined,
    isHeld: boolean,
  ])[] = [
    ["by the fingerprint, whatever the fence is", [HOLDER], 8, HOLDER.fingerprint, true],
    ["by the fingerprint, beside others", [OTHER, HOLDER], 7, HOLDER.fingerprint, true],
    ["not by the token, if the fingerprint is another's", [OTHER], 7, HOLDER.fingerprint, false],
    ["not by a holder on too few nodes", [WEAK, OTHER], 7, HOLDER.fingerprint, false],
    ["by the token alone", [HOLDER], 7, undefined, true],
    ["not by a later token", [HOLDER], 8, undefined, false],
    ["not by a token on which the nodes disagree", [HOLDER], undefined, undefined, false],
    ["not by the token of a name that nobody holds", [], 7, undefined, false],
    ["not by the token, if its holder is on too few nodes", [WEAK], 7, undefined, false],
  ];
  for (const [what, holders, fence, fingerprint, isHeld] of CASES) {
    it(`is told ${what}`, async () => {
      const found = await answer(report(3, 3, holders, fence), { fingerprint });
      expect(found).to.deep.equal({ isKnown: true, isHeld });
    });
  }
});
