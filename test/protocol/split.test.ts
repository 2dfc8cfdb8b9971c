import { expect } from "chai";
import * as fc from "fast-check";
import { uniform } from "../support/uniform.js";
import type { Vote } from "../../src/protocol/operation.js";
import {
  askAll,
  isAnswer,
  isContestOpen,
  isSameRefusal,
  keepAtMs,
  lastAskMs,
  MIN_ASK_MS,
  patienceMs,
  splitDecision,
  type ContestState,
  type SplitDecision,
} from "../../src/protocol/split.js";
import { quorumSize } from "../../src/protocol/quorum.js";
import { fault, foreign, granted, held, votesOf } from "../support/votes.js";

const OWN = "bbbbbb";

const keeper = (sameCount: number, keeperCount: number) => ({
  ...{ sameCount, keeperCount },
  isCalled: false,
});

describe("splitDecision", () => {
  const rows: readonly [votes: string, after: SplitDecision, waiting?: SplitDecision][] = [
    // One has a quorum, or somebody: at once, whatever else is to come.
    ["a", "held"],
    ["aa.", "held"],
    ["aa+", "held"],
    ["??+", "held"],
    ["aaa..", "held"],
    ["aaa+", "held"],
    ["aa", "held"],
    // Of an even number half are none.
    ["aa++", "yield"],
    ["cc++", "keep"],
    ["aa..", "pending"],
    // Everybody one.
    ["+cd", "keep"],
    ["+ac", "yield"],
    ["+?c", "yield"],
    ["+?", "yield"],
    ["+a", "yield"],
    ["+c", "keep"],
    // Most votes first, whoever is lower.
    ["++aac", "yield"],
    ["++ccd", "keep"],
    ["++acd", "keep"],
    ["++a?d", "keep"],
    ["++??d", "yield"],
    ["+aacc", "yield"],
    ["+ccde", "yield"],
    ["aacce", "yield"],
    // Its own beginning again, of another: neither of the two can tell.
    ["+bc", "yield"],
    // No quorum of nodes will answer.
    ["xx.", "unreachable"],
    ["+x", "unreachable"],
    ["ax", "unreachable"],
    ["+axx.", "pending"],
    // Nodes that are down, or silent for long, leave the others to be divided.
    ["+cx", "keep"],
    ["+ax", "yield"],
    ["acx", "yield"],
    ["+c.", "keep", "pending"],
    ["+a.", "yield", "pending"],
    ["++c..", "keep", "pending"],
    ["+c...", "pending"],
    ["++..", "pending"],
  ];
  for (const [text, after, waiting = after] of rows) {
    it(`${text}: ${after}${waiting === after ? "" : `, but ${waiting} while the silent are waited for`}`, () => {
      const votes = votesOf(text);
      expect(splitDecision({ votes, own: OWN, isWaiting: true })).to.equal(waiting);
      expect(splitDecision({ votes, own: OWN, isWaiting: false })).to.equal(after);
    });
  }

  it("takes foreign data for somebody", () => {
    const votes = [granted(7), foreign(), { ...held(), holder: "cccccc" }];
    expect(splitDecision({ votes, own: OWN, isWaiting: false })).to.equal("yield");
  });

  /** Who has which node of up to seven, of up to eight contenders; nodes that are down at the end. */
  const anySplit = fc
    .record({
      nodes: fc.array(fc.nat(7), { minLength: 1, maxLength: 7 }),
      beginnings: fc.uniqueArray(fc.stringMatching(/^[\w-]{6}$/), { minLength: 8, maxLength: 8 }),
      downCount: fc.nat(3),
    })
    .map(({ nodes, beginnings, downCount }) => ({
      beginnings,
      isDown: nodes.map((_, index) => index >= nodes.length - downCount),
      nodes,
    }));

  it("of those that have nodes exactly one keeps them, and all the same one, if nobody has a quorum", () => {
    let keptCount = 0;
    fc.assert(
      fc.property(anySplit, ({ nodes, beginnings, isDown }) => {
        const decisions = beginnings.map((own, contender) => {
          const votes = nodes.map((owner, index): Vote | undefined => {
            if (isDown[index] === true) return index % 2 === 0 ? undefined : fault("disconnected");
            return owner === contender ? granted(7) : { ...held(), holder: beginnings[owner] };
          });
          const grantedCount = votes.filter((vote) => vote?.kind === "granted").length;
          if (grantedCount >= quorumSize(nodes.length)) return "won";
          return splitDecision({ votes, own, isWaiting: false });
        });
        const upCount = isDown.filter((down) => !down).length;
        const keepCount = decisions.filter((decision) => decision === "keep").length;
        if (decisions.includes("won")) {
          expect(decisions.filter((decision) => decision === "held")).to.have.length(7);
        } else if (upCount >= quorumSize(nodes.length)) {
          expect(decisions.filter((decision) => decision === "yield")).to.have.length(7);
          expect(keepCount).to.equal(1);
          keptCount++;
        } else expect(keepCount).to.equal(0);
      }),
    );
    expect(keptCount).to.be.above(10);
  });

  it("nobody keeps anything where somebody who is no client has as much", () => {
    fc.assert(
      fc.property(anySplit, fc.nat(7), ({ nodes, beginnings }, somebody) => {
        const countOf = (who: number): number => nodes.filter((owner) => owner === who).length;
        beginnings.forEach((own, contender) => {
          if (contender === somebody || countOf(contender) > countOf(somebody)) return;
          const votes = nodes.map((owner): Vote => {
            if (owner === contender) return granted(7);
            return { ...held(), holder: owner === somebody ? undefined : beginnings[owner] };
          });
          const decision = splitDecision({ votes, own, isWaiting: false });
          if (countOf(contender) < quorumSize(nodes.length)) expect(decision).not.to.equal("keep");
        });
      }),
    );
  });
});

describe("isAnswer", () => {
  it("is what a node says itself", () => {
    expect(votesOf("+a?x.").map(isAnswer)).to.deep.equal([true, true, true, false, false]);
  });
});

describe("the pauses of those that yield", () => {
  const contest: ContestState = {
    ...{ untilMs: 1_000, askUntilMs: lastAskMs(1_000, 1_000), isLastAsk: false },
    ...{ sentMs: 0, roundTripMs: 10, splitCount: 1 },
  };
  const row = { nodeCount: 3, hadVote: true, unit: 0 };

  for (const [over, ms] of [
    [{}, 10],
    [{ unit: 1 }, 20],
    [{ hadVote: false }, 30],
    [{ hadVote: false, nodeCount: 5 }, 30],
    [{ hadVote: false, nodeCount: 2 }, 120],
    [{ hadVote: false, nodeCount: 4 }, 120],
    [{ nodeCount: 4 }, 10],
    [{ splitCount: 2 }, 20],
    [{ splitCount: 3 }, 40],
    [{ splitCount: 9 }, 40],
    [{ splitCount: 9, hadVote: false, unit: 0.5 }, 180],
    [{ roundTripMs: 0.1 }, MIN_ASK_MS],
  ] as const) {
    it(`${JSON.stringify(over)}: ${ms} ms`, () => {
      const { nodeCount, hadVote, unit: drawn, ...state } = { ...contest, ...row, ...over };
      const next = askAll(state, { nodeCount, hadVote }, drawn, 100);
      expect(next).to.deep.equal({ atMs: 100 + ms, isLastAsk: false });
    });
  }

  it("leave a round trip for the last ask of those that refuse", () => {
    const ask = (over: Partial<ContestState>, nowMs: number): unknown => {
      const until = { untilMs: 100, askUntilMs: lastAskMs(100, 100) };
      return askAll({ ...contest, ...until, ...over }, { nodeCount: 3, hadVote: true }, 0, nowMs);
    };
    expect(ask({}, 55), "in time").to.deep.equal({ atMs: 65, isLastAsk: false });
    expect(ask({}, 56), "the last").to.deep.equal({ atMs: 65, isLastAsk: true });
    expect(ask({}, 74), "too late for that").to.deep.equal({ atMs: 74, isLastAsk: true });
    const lastMs = 75 - MIN_ASK_MS;
    expect(ask({ roundTripMs: 0.1 }, 74.9)).to.deep.equal({ atMs: 74.9, isLastAsk: true });
    expect(ask({ roundTripMs: 0.1 }, 72)).to.deep.equal({ atMs: lastMs, isLastAsk: true });
    // Nodes that take longer than that quarter have two round trips.
    expect(ask({ roundTripMs: 40 }, 15)).to.deep.equal({ atMs: 20, isLastAsk: true });
  });

  it("end where less than a quarter of the deadline is left, or with the last ask", () => {
    expect(isContestOpen(contest, 749)).to.equal(true);
    expect(isContestOpen(contest, 750)).to.equal(false);
    expect(isContestOpen({ ...contest, isLastAsk: true }, 0)).to.equal(false);
  });

  it("of one that keeps its nodes end there, too", () => {
    const slow = { ...contest, splitCount: 9, sentMs: 735 };
    expect(keepAtMs(slow, keeper(4, 1), 745)).to.equal(750);
    expect(keepAtMs({ ...slow, sentMs: 700 }, keeper(4, 1), 705)).to.equal(740);
  });

  it("are none for the first ask of one that keeps its nodes, nor for one that is told that it is its turn", () => {
    expect(keepAtMs(contest, keeper(0, 1), 1)).to.equal(1);
    const called = { ...keeper(9, 12), isCalled: true };
    expect(keepAtMs({ ...contest, splitCount: 9 }, called, 1)).to.equal(1);
  });

  it("of one that keeps its nodes become longer where the same refuse it again and again, up to fourfold", () => {
    const { sentMs, roundTripMs } = contest;
    const pauses = [0, 1, 2, 3, 4, 60].map((sameCount) => {
      return keepAtMs({ ...contest, splitCount: 9 }, keeper(sameCount, 1), sentMs) - sentMs;
    });
    const [two, four] = [2 * roundTripMs, 4 * roundTripMs];
    expect(pauses).to.deep.equal([MIN_ASK_MS, MIN_ASK_MS, two, four, four, four]);
    const lateMs = sentMs + 100 * roundTripMs;
    expect(keepAtMs({ ...contest, splitCount: 4 }, keeper(2, 1), lateMs)).to.equal(lateMs);
  });

  for (const [before, now, isSame] of [
    ["+c", "+c", true],
    ["+c", "+d", false],
    ["+c", "c+", false],
    ["+c", "++", false],
    ["+?", "+?", true],
    ["+?", "+c", false],
    ["+cx", "+c.", true],
  ] as const) {
    it(`${before} and then ${now}: ${isSame ? "the same refuse" : "others do"}`, () => {
      expect(isSameRefusal(votesOf(now), votesOf(before))).to.equal(isSame);
    });
  }

  it("of one that keeps its nodes are never shorter than the shortest", () => {
    const fast = { ...contest, roundTripMs: 0.1, splitCount: 9 };
    expect(keepAtMs(fast, keeper(0, 1), fast.sentMs)).to.equal(fast.sentMs + MIN_ASK_MS);
    expect(keepAtMs(fast, keeper(5, 1), fast.sentMs)).to.equal(fast.sentMs + 4 * MIN_ASK_MS);
  });

  it("of all of a process that keep nodes are those of one, so a dozen ask sixty times in 100 ms at most", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), uniform(0, 20), (keeperCount, roundTripMs) => {
        // All nodes at first; then those that refused, at once; and then the same refuse it again and again.
        let askCount = 2;
        let sentMs = 0;
        for (let sameCount = 0; ; sameCount++) {
          const state = { ...contest, roundTripMs, splitCount: 2 + sameCount, sentMs };
          sentMs = keepAtMs(state, keeper(sameCount, keeperCount), sentMs);
          if (sentMs > 100) break;
          askCount++;
        }
        expect(askCount * keeperCount).to.be.at.most(60);
      }),
    );
  });

  it("wait for silent nodes a quarter of their deadline, or as long again as the others took", () => {
    expect(patienceMs(100, 3)).to.equal(25);
    expect(patienceMs(100, 20)).to.equal(40);
  });
});
