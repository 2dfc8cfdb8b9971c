import { expect } from "chai";
import {
  isReasonKnown,
  isRefusedByQuorum,
  quorumSize,
  tallyOf,
  toleratedCount,
  verdict,
  type Tally,
} from "../../src/protocol/quorum-verdict.js";
import { fault, free, granted, held } from "../support/votes.js";

const MAX_NODES = 9;

/** Every way in which the nodes can have voted so far. */
function* tallies(): Generator<Tally> {
  for (let nodeCount = 1; nodeCount <= MAX_NODES; nodeCount++) {
    for (let grantedCount = 0; grantedCount <= nodeCount; grantedCount++) {
      for (let refusedCount = 0; grantedCount + refusedCount <= nodeCount; refusedCount++) {
        const most = nodeCount - grantedCount - refusedCount;
        for (let faultCount = 0; faultCount <= most; faultCount++) {
          yield { nodeCount, grantedCount, refusedCount, faultCount };
        }
      }
    }
  }
}

const silentCount = (tally: Tally): number =>
  tally.nodeCount - tally.grantedCount - tally.refusedCount - tally.faultCount;

/** By trying every number of grants that the silent nodes can still add. */
function byBruteForce(tally: Tally): "pending" | "won" | "lost" {
  const isMajority = (count: number): boolean => 2 * count > tally.nodeCount;
  const results = new Set<boolean>();
  for (let more = 0; more <= silentCount(tally); more++) {
    results.add(isMajority(tally.grantedCount + more));
  }
  if (results.size === 2) return "pending";
  return results.has(true) ? "won" : "lost";
}

describe("quorumSize", () => {
  it("is the smallest count whose every two sets share a node", () => {
    for (let nodeCount = 1; nodeCount <= 99; nodeCount++) {
      const quorum = quorumSize(nodeCount);
      expect(2 * quorum, `${nodeCount} nodes`).to.be.greaterThan(nodeCount);
      expect(2 * (quorum - 1), `${nodeCount} nodes`).to.be.at.most(nodeCount);
    }
  });

  it("is 1, 2, 2, 3, 3, 4, 4 for 1 to 7 nodes", () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(quorumSize)).to.deep.equal([1, 2, 2, 3, 3, 4, 4]);
  });
});

describe("toleratedCount", () => {
  it("leaves a quorum of the others, and one more does not", () => {
    for (let nodeCount = 1; nodeCount <= MAX_NODES; nodeCount++) {
      const isMajority = (count: number): boolean => 2 * count > nodeCount;
      const others = nodeCount - toleratedCount(nodeCount);
      expect([isMajority(others), isMajority(others - 1)]).to.deep.equal([true, false]);
    }
  });
});

describe("verdict", () => {
  it("equals brute force over all tallies of up to 9 nodes", () => {
    for (const tally of tallies()) {
      expect(verdict(tally), JSON.stringify(tally)).to.equal(byBruteForce(tally));
    }
  });

  it("is never pending once all nodes have voted", () => {
    for (const tally of tallies()) {
      if (silentCount(tally) === 0) {
        expect(verdict(tally), JSON.stringify(tally)).to.not.equal("pending");
      }
    }
  });

  it("is final: no further vote changes what was decided", () => {
    for (const tally of tallies()) {
      const decided = verdict(tally);
      if (decided === "pending" || silentCount(tally) === 0) continue;
      for (const key of ["grantedCount", "refusedCount", "faultCount"] as const) {
        expect(verdict({ ...tally, [key]: tally[key] + 1 })).to.equal(decided);
      }
    }
  });

  it("settles an even split as lost", () => {
    for (const nodeCount of [2, 4, 6, 8]) {
      const half = nodeCount / 2;
      const split = { nodeCount, grantedCount: half, refusedCount: half, faultCount: 0 };
      expect(verdict(split)).to.equal("lost");
    }
  });
});

describe("tallyOf", () => {
  it("counts each vote once, and no silent node", () => {
    const votes = [granted(7), undefined, held(), free(), fault(), fault(), fault()];
    expect(tallyOf(votes)).to.deep.equal({
      ...{ nodeCount: 7, grantedCount: 1, refusedCount: 2, faultCount: 3 },
    });
  });
});

describe("isRefusedByQuorum", () => {
  it("is true exactly where no quorum was possible even if all others had granted", () => {
    for (const tally of tallies()) {
      const best = { ...tally, grantedCount: tally.nodeCount - tally.refusedCount, faultCount: 0 };
      expect(isRefusedByQuorum(tally), JSON.stringify(tally)).to.equal(
        byBruteForce(best) === "lost",
      );
    }
  });

  it("never counts faults as contention", () => {
    for (let nodeCount = 1; nodeCount <= MAX_NODES; nodeCount++) {
      const silent = { nodeCount, grantedCount: 0, refusedCount: 0, faultCount: nodeCount };
      expect(isRefusedByQuorum(silent)).to.equal(false);
    }
  });
});

describe("isReasonKnown", () => {
  it("is true exactly where no further votes can change whether refusals alone decide", () => {
    for (const tally of tallies()) {
      const silent = silentCount(tally);
      const ifRefused = { ...tally, refusedCount: tally.refusedCount + silent };
      const ifFaults = { ...tally, faultCount: tally.faultCount + silent };
      expect(isReasonKnown(tally), JSON.stringify(tally)).to.equal(
        isRefusedByQuorum(ifRefused) === isRefusedByQuorum(ifFaults),
      );
    }
  });
});
