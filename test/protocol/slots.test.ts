import { expect } from "chai";
import * as fc from "fast-check";
import type { Vote } from "../../src/protocol/operation.js";
import { freeSlots, MAX_PERMITS, permitsIn, takenCount } from "../../src/protocol/slots.js";
import { fault, free, granted, held } from "../support/votes.js";
import { slotsText } from "../support/slots-text.js";

describe("permitsIn", () => {
  for (const [text, permits] of [
    ["semaphore:4", 4],
    ["semaphore:1000", 1000],
    ["semaphore:", undefined],
    ["semaphore:4:x", undefined],
    ["shared:", undefined],
    ["turn:semaphore:4", undefined],
  ] as const) {
    it(`${text} is of ${permits}`, () => {
      expect(permitsIn(text)).to.equal(permits);
    });
  }
});

const taken = (permits: number, ...slots: number[]): Vote => {
  return { ...held(500), takenSlots: slotsText(new Set(slots), permits) };
};

describe("freeSlots", () => {
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
  for (const [title, permits, votes, slots] of ROWS) {
    it(title, () => {
      expect(freeSlots(votes, permits)).to.deep.equal(slots);
    });
  }

  it("reads what slotsText wrote, for any slots of any number", () => {
    const permits = fc.integer({ min: 1, max: MAX_PERMITS });
    const someOf = permits.chain((count) =>
      fc.tuple(fc.constant(count), fc.uniqueArray(fc.nat(count - 1))),
    );
    fc.assert(
      fc.property(someOf, ([count, slots]) => {
        const others = Array.from({ length: count }, (_, slot) => slot).filter(
          (slot) => !slots.includes(slot),
        );
        expect(freeSlots([taken(count, ...slots)], count)).to.deep.equal(others);
        expect(takenCount(slotsText(new Set(slots), count))).to.equal(slots.length);
      }),
      { numRuns: 50 },
    );
  });
});
