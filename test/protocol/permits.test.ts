import { expect } from "chai";
import * as fc from "fast-check";
import type { RefusedVote, Vote } from "../../src/protocol/operation.js";
import { availableCount, freePermits, numbersIn, numbersText } from "../../src/protocol/permits.js";
import { MAX_PERMITS } from "../../src/protocol/semaphore-size.js";
import { takenVote } from "../support/taken-vote.js";
import { fault, free, granted, held } from "../support/votes.js";

describe("How many permits are available", () => {
  const says = (count: number, freePermits: number[], version = 0): Vote => {
    return { kind: "granted", fence: 0, size: { count, version }, freePermits };
  };
  for (const [title, votes, count] of [
    ["those that a quorum has free", [says(3, [0, 2]), says(3, [2]), says(3, [1, 2])], 1],
    ["whichever nodes that are", [says(3, [0, 1]), says(3, [1, 2]), says(3, [0, 2])], 3],
    ["none of a node that is silent", [says(3, [0, 1, 2]), says(3, [0, 2]), undefined], 2],
    ["none of a node that fails", [says(2, [0, 1]), fault(), says(2, [1])], 1],
    ["unknown without a quorum", [says(3, [0, 1, 2]), fault(), undefined], undefined],
    ["those that there still are", [says(4, [0, 3]), says(2, [0, 1], 7), says(4, [0, 3])], 1],
    ["those that there are by now", [says(1, [0]), says(3, [0, 2], 7), says(3, [0, 2], 7)], 2],
  ] as const) {
    it(`${count}: ${title}`, () => {
      expect(availableCount(votes)).to.equal(count);
    });
  }
});

describe("Numbers of permits as text", () => {
  for (const [numbers, text] of [
    [[], ""],
    [[7], "7"],
    [[0, 1], "0-1"],
    [[0, 1, 2, 5, 9, 10], "0-2,5,9-10"],
    [[MAX_PERMITS - 1], "9999"],
  ] as const) {
    it(`${numbers.join(" ")} is "${text}"`, () => {
      expect(numbersText(numbers)).to.equal(text);
      if (text !== "") expect(numbersIn(text)).to.deep.equal(numbers);
    });
  }

  for (const text of [
    ...["", ",", "1,", "01", "1-", "-1", "2-1", "1-1", "1,1", "3,2", "1-3,3", "0-10000", "10000"],
    ...[" 1", "1 ", "1e0", "0x1", "1.5", "99999999999999999999"],
  ]) {
    it(`no node would send "${text}"`, () => {
      expect(numbersIn(text)).to.equal(undefined);
    });
  }

  it("is read as it was written", () => {
    const some = fc.uniqueArray(fc.nat(MAX_PERMITS - 1), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(some, (list) => {
        const numbers = list.toSorted((a, b) => a - b);
        expect(numbersIn(numbersText(numbers))).to.deep.equal(numbers);
      }),
    );
  });
});

const taken = (permitCount: number, ...permits: number[]): Vote => takenVote(permitCount, permits);
const range = (from: number, below: number): number[] =>
  Array.from({ length: below - from }, (_, at) => from + at);

/** Of fifty the first are taken, and of the others at most so many are told. */
function told(takenCount: number, most: number): Vote {
  const vote = takenVote(50, range(0, takenCount)) as RefusedVote;
  return { ...vote, freePermits: vote.freePermits?.slice(0, most) ?? [] };
}

/** Of the semaphore that they are about. */
function countIn(votes: readonly (Vote | undefined)[]): number {
  const counts = votes.map((vote) => {
    if (vote?.kind !== "refused") return 0;
    return (vote.takenPermits ?? 0) + (vote.freePermits ?? []).length;
  });
  return Math.max(...counts);
}

/** How many are free on the two nodes that have the most in common. */
function mostOnTwoOf(takenOn: readonly (readonly number[])[], permitCount: number): number {
  const counts = [0, 1, 2].map((without) => {
    const on = takenOn.filter((_, index) => index !== without);
    return range(0, permitCount).filter((each) => !on.some((all) => all.includes(each))).length;
  });
  return Math.max(...counts);
}

describe("freePermits", () => {
  const ROWS: readonly (readonly [string, number, readonly (Vote | undefined)[], number[]])[] = [
    ["one node, one of three free", 1, [taken(3, 0, 2)], [1]],
    ["one node, none free", 1, [taken(3, 0, 1, 2)], []],
    ["free on all", 1, [taken(5, 0), taken(5, 0), taken(5, 0)], [1, 2, 3, 4]],
    ["rather those that are free on more", 1, [taken(3, 0, 1), taken(3, 0), granted(7)], [2]],
    ["taken on one of three", 1, [taken(2, 0, 1), taken(2, 0), granted(7)], [1]],
    ["taken on two of three", 1, [taken(2, 0, 1), taken(2, 0, 1), granted(7)], []],
    ["taken on one, and one is silent", 1, [taken(2, 0, 1), taken(2, 0), fault()], []],
    ["free on two, and one is silent", 1, [taken(2, 0), taken(2, 0), fault()], [1]],
    ["not all have answered", 1, [taken(2, 0), taken(2, 0), undefined], [1]],
    ["held as a whole", 1, [held(50), held(50), undefined], []],
    ["held as a whole on one", 1, [held(50), taken(2, 0), taken(2, 0)], [1]],
    ["half of four", 1, [taken(2, 0), taken(2, 0), granted(1), granted(1)], [1]],
    ["half of four, one of them taken", 1, [taken(2, 0), taken(2, 0, 1), granted(1), free()], []],
    ["nobody has told", 1, [granted(1), granted(2), granted(3)], []],
    ["two of five", 2, [taken(5, 0), taken(5, 0), taken(5, 0)], [1, 2, 3, 4]],
    ["two, of which one is missing", 2, [taken(2, 0), taken(2, 0), taken(2, 0)], []],
    ["two, not on the same quorum", 2, [taken(3, 1, 2), taken(3, 0, 2), taken(3, 0, 1)], []],
    ["two, on one quorum", 2, [taken(4, 0, 1), taken(4, 0, 1), taken(4, 2, 3)], [2, 3]],
    ["two, on the same two of three", 2, [taken(4, 3), taken(4, 0, 2), taken(4, 2, 3)], [0, 1]],
    ["two, without the smallest", 2, [taken(3, 1, 2), taken(3), taken(3, 0)], [1, 2]],
  ];
  for (const [title, wanted, votes, permits] of ROWS) {
    it(title, () => {
      expect(freePermits(votes, { count: countIn(votes), wanted })).to.deep.equal(permits);
    });
  }

  for (const [title, wanted, votes, permits] of [
    ["may be free where only smaller ones were told", 1, [told(20, 10), told(5, 10)], [20, 29]],
    ["rather those of which all is known", 1, [told(20, 10), told(5, 20)], [20, 24]],
    ["two of them", 2, [told(3, 12), told(20, 12)], [20, 31]],
    ["not where others wait for what is free", 1, [told(20, 10), told(5, 0)], []],
    ["not what was passed over", 1, [told(20, 10), told(48, 2)], [48, 49]],
  ] as const) {
    it(title, () => {
      const [first, last] = permits;
      expect(freePermits([...votes, fault()].slice(0, 3), { count: 50, wanted })).to.deep.equal(
        first === undefined ? [] : range(first, last + 1),
      );
    });
  }

  it("are such that a quorum could grant any run of as many as are wanted, or all of one run", () => {
    const permitCount = 6;
    const some = fc.subarray(Array.from({ length: permitCount }, (_, permit) => permit));
    const nodes = fc.array(some, { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(nodes, fc.integer({ min: 1, max: 3 }), (takenOn, wanted) => {
        const votes = takenOn.map((permits) => taken(permitCount, ...permits));
        const found = freePermits(votes, { count: permitCount, wanted });
        if (found.length === 0) {
          expect(mostOnTwoOf(takenOn, permitCount)).to.be.below(wanted);
          return;
        }
        const granting = takenOn.filter((permits) =>
          found.every((each) => !permits.includes(each)),
        );
        expect(granting.length).to.be.at.least(2);
        expect(found.length).to.be.at.least(wanted);
      }),
    );
  });
});
