import { expect } from "chai";
import * as fc from "fast-check";
import {
  agreedHolder,
  isReasonKnown,
  isRefusedByQuorum,
  MAX_NODE_COUNT,
  neededCount,
  nodeCountOf,
  nodesThatDidNotGrant,
  nodesThatGranted,
  nodesThatMayHold,
  nodesThatRefused,
  quorumFreeInMs,
  quorumSize,
  readiness,
  tallyOf,
  toleratedCount,
  verdict,
  willBeReady,
  type NodeReadiness,
  type Tally,
} from "../../src/protocol/quorum.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

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

describe("quorumFreeInMs", () => {
  /** The earliest of all instants at which enough nodes are free. */
  function byBruteForce(blockedMs: readonly number[]): number {
    const isFree = (at: number): boolean =>
      2 * blockedMs.filter((ms) => ms <= at).length > blockedMs.length;
    return Math.min(Infinity, ...blockedMs.filter(isFree));
  }

  it("equals brute force", () => {
    const blocked = fc.oneof(fc.constant(0), fc.constant(Infinity), fc.nat(1_000));
    fc.assert(
      fc.property(fc.array(blocked, { minLength: 1, maxLength: 9 }), (blockedMs) => {
        expect(quorumFreeInMs(blockedMs)).to.equal(byBruteForce(blockedMs));
      }),
    );
  });

  it("waits for the q-th node only, and knows nothing where a quorum is unknown", () => {
    expect(quorumFreeInMs([0, 300, 100])).to.equal(100);
    expect(quorumFreeInMs([100, Infinity, Infinity])).to.equal(Infinity);
    expect(quorumFreeInMs([0, 0, 700, 900])).to.equal(700);
  });

  it("leaves its argument as it was", () => {
    const blockedMs = [3, 1, 2];
    quorumFreeInMs(blockedMs);
    expect(blockedMs).to.deep.equal([3, 1, 2]);
    expect(quorumSize(blockedMs.length)).to.equal(2);
  });
});

describe("nodesThatMayHold", () => {
  for (const { title, vote, mayHold } of [
    { title: "granted", vote: granted(7), mayHold: true },
    { title: "is silent", vote: undefined, mayHold: true },
    { title: "timed out", vote: fault("timeout", true), mayHold: true },
    { title: "failed after it was sent", vote: fault("server", true), mayHold: true },
    { title: "was never sent anything", vote: fault("suspected", false), mayHold: false },
    { title: "refused, held by another", vote: held(), mayHold: false },
    { title: "refused, with somebody's data", vote: foreign(), mayHold: false },
    { title: "refused, free", vote: free(), mayHold: false },
  ]) {
    it(`${mayHold ? "owes a release to" : "owes nothing to"} a node that ${title}`, () => {
      expect(nodesThatMayHold([held(), vote, held()])).to.equal(mayHold ? 0b010 : 0);
    });
  }

  it("keeps up to the largest node count in a positive integer", () => {
    const all = nodesThatMayHold(Array.from({ length: MAX_NODE_COUNT }, () => undefined));
    expect(all).to.equal(2 ** MAX_NODE_COUNT - 1);
  });
});

describe("the votes of a round, as sets of nodes", () => {
  const votes = [granted(7), held(), undefined, fault(), foreign()];

  it("are those that granted, or did not, and those that refused", () => {
    expect(nodesThatGranted(votes)).to.equal(0b00001);
    expect(nodesThatDidNotGrant(votes)).to.equal(0b11110);
    expect(nodesThatRefused(votes)).to.equal(0b10010);
  });
});

describe("nodeCountOf", () => {
  for (const [mask, count] of [
    [0, 0],
    [0b1, 1],
    [0b10110, 3],
    [2 ** MAX_NODE_COUNT - 1, MAX_NODE_COUNT],
  ] as const) {
    it(`is ${count} for ${mask.toString(2)}`, () => {
      expect(nodeCountOf(mask)).to.equal(count);
    });
  }
});

describe("agreedHolder", () => {
  for (const { title, said, holder } of [
    { title: "a holder that all nodes name", said: [["a"], ["a"], ["a"]], holder: "a" },
    { title: "one that a quorum names", said: [["a"], ["b"], ["a"]], holder: "a" },
    { title: "one of several that hold it together", said: [["a", "b"], ["b"], []], holder: "b" },
    { title: "nobody where a quorum is free", said: [["a"], [], []], holder: null },
    { title: "neither where nodes differ", said: [["a"], ["b"], []], holder: undefined },
    { title: "neither where too few say", said: [["a"], undefined, undefined], holder: undefined },
    { title: "neither of an even number", said: [["a"], ["a"], [], []], holder: undefined },
    { title: "neither where nobody says anything", said: [undefined], holder: undefined },
  ]) {
    it(`is ${title}`, () => expect(agreedHolder(said)).to.equal(holder));
  }
});

const STATES: readonly NodeReadiness[] = [
  ...(["votes", "settling", "away", "misconfigured", "listedTwice"] as const),
];

/** By number of nodes: a quorum, and how many nodes it can do without. */
const QUORUMS = [
  [1, 1, 0],
  [2, 2, 0],
  [3, 2, 1],
  [4, 3, 1],
  [5, 3, 2],
] as const;

/** All states of so many nodes, in all orders. */
function allStates(count: number): readonly (readonly NodeReadiness[])[] {
  if (count === 0) return [[]];
  return allStates(count - 1).flatMap((others) => STATES.map((state) => [...others, state]));
}

function permutations(count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  return permutations(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => order.toSpliced(at, 0, count - 1)),
  );
}

const count = (nodes: readonly NodeReadiness[], state: NodeReadiness): number =>
  nodes.filter((node) => node === state).length;

describe("readiness", () => {
  for (const [nodeCount, quorum, spareCount] of QUORUMS) {
    it(`of ${nodeCount} nodes needs ${quorum}, and does without ${spareCount}, in all states`, () => {
      const seen = new Set<string>();
      for (const nodes of allStates(nodeCount)) {
        const decision = readiness(nodes, false);
        seen.add(decision);
        const text = nodes.join(" ");
        const isListedTwice = count(nodes, "listedTwice") > 0;
        expect(decision === "listedTwice", text).to.equal(isListedTwice);
        if (isListedTwice) continue;
        expect(decision === "ready", text).to.equal(count(nodes, "votes") >= quorum);
        const isHopeless = count(nodes, "misconfigured") > spareCount;
        expect(decision === "misconfigured", text).to.equal(isHopeless);
      }
      expect(seen.size).to.equal(4);
    });

    it(`of all ${nodeCount} nodes is strict, in all states`, () => {
      for (const nodes of allStates(nodeCount)) {
        const decision = readiness(nodes, true);
        const text = nodes.join(" ");
        expect(decision === "ready", text).to.equal(count(nodes, "votes") === nodeCount);
        const isWrong = count(nodes, "misconfigured") + count(nodes, "listedTwice") > 0;
        expect(decision === "wait", text).to.equal(!isWrong && count(nodes, "votes") < nodeCount);
      }
    });

    it(`of ${nodeCount} nodes comes to the same, whichever is seen first`, () => {
      const orders = permutations(nodeCount);
      for (const nodes of allStates(nodeCount)) {
        if (nodes.includes("listedTwice")) continue;
        const inTheEnd = readiness(nodes, false);
        for (const order of orders) {
          const seen: NodeReadiness[] = nodes.map(() => "away");
          let first = readiness(seen, false);
          for (const at of order) {
            if (first !== "wait") break;
            seen[at] = nodes[at] ?? "away";
            first = readiness(seen, false);
          }
          if (first !== inTheEnd)
            expect(first, `${nodes.join(" ")} as ${order.join(" ")}`).to.equal(inTheEnd);
        }
      }
    });

    it(`of ${nodeCount} nodes will come if enough vote or settle`, () => {
      for (const all of [false, true]) {
        const needed = all ? nodeCount : quorum;
        expect(neededCount(nodeCount, all)).to.equal(needed);
        for (const nodes of allStates(nodeCount)) {
          const isEnough = count(nodes, "votes") + count(nodes, "settling") >= needed;
          expect(willBeReady(nodes, all), nodes.join(" ")).to.equal(isEnough);
        }
      }
    });
  }
});
