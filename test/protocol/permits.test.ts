import { expect } from "chai";
import * as fc from "fast-check";
import type { Vote } from "../../src/protocol/operation.js";
import { freePermits, MAX_PERMITS, permitsIn, takenCount } from "../../src/protocol/permits.js";
import { fault, free, granted, held } from "../support/votes.js";
import { permitsText } from "../support/permits-text.js";

describe("permitsIn", () => {
  for (const [text, permitCount] of [
    ["semaphore:4", 4],
    ["semaphore:1000", 1000],
    ["semaphore:", undefined],
    ["semaphore:4:x", undefined],
    ["shared:", undefined],
    ["turn:semaphore:4", undefined],
  ] as const) {
    it(`${text} is of ${permitCount}`, () => {
      expect(permitsIn(text)).to.equal(permitCount);
    });
  }
});

const taken = (permitCount: number, ...permits: number[]): Vote => {
  return { ...held(500), takenPermits: permitsText(new Set(permits), permitCount) };
};

describe("freePermits", () => {
  const ROWS: readonly (readonly [string, number, readonly (Vote | undefined)[], number[]])[] = [
    ["one node, one of three free", 3, [taken(3, 0, 2)], [1]],
    ["one node, none free", 3, [taken(3, 0, 1, 2)], []],
    ["free on all", 5, [taken(5, 0), taken(5, 0), taken(5, 0)], [1, 2, 3, 4]],
    ["rather those that are free on more", 3, [taken(3, 0, 1), taken(3, 0), granted(7)], [2]],
    ["taken on one of three", 2, [taken(2, 0, 1), taken(2, 0), granted(7)], [1]],
    ["taken on two of three", 2, [taken(2, 0, 1), taken(2, 0, 1), granted(7)], []],
    ["taken on one, and one is silent", 2, [taken(2, 0, 1), taken(2, 0), fault()], []],
    ["free on two, and one is silent", 2, [taken(2, 0), taken(2, 0), fault()], [1]],
    ["not all have answered", 2, [taken(2, 0), taken(2, 0), undefined], [1]],
    ["held as a whole", 2, [held(50), held(50), undefined], []],
    ["held as a whole on one", 2, [held(50), taken(2, 0), taken(2, 0)], [1]],
    ["half of four", 2, [taken(2, 0), taken(2, 0), granted(1), granted(1)], [1]],
    ["half of four, one of them taken", 2, [taken(2, 0), taken(2, 0, 1), granted(1), free()], []],
  ];
  for (const [title, permitCount, votes, permits] of ROWS) {
    it(title, () => {
      expect(freePermits(votes, permitCount)).to.deep.equal(permits);
    });
  }

  it("reads what permitsText wrote, for any permits of any number", () => {
    const permitCount = fc.integer({ min: 1, max: MAX_PERMITS });
    const someOf = permitCount.chain((count) =>
      fc.tuple(fc.constant(count), fc.uniqueArray(fc.nat(count - 1))),
    );
    fc.assert(
      fc.property(someOf, ([count, permits]) => {
        const others = Array.from({ length: count }, (_, permit) => permit).filter(
          (permit) => !permits.includes(permit),
        );
        expect(freePermits([taken(count, ...permits)], count)).to.deep.equal(others);
        expect(takenCount(permitsText(new Set(permits), count))).to.equal(permits.length);
      }),
      { numRuns: 50 },
    );
  });
});
