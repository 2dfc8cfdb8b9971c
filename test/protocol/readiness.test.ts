import { expect } from "chai";
import {
  neededCount,
  readiness,
  willBeReady,
  type NodeReadiness,
} from "../../src/protocol/readiness.js";

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
