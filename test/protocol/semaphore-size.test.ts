import { expect } from "chai";
import {
  fixedSize,
  isNewerSize,
  MAX_PERMITS,
  MAX_SIZE_VERSION,
  nextVersion,
  semaphoreIn,
  sizeIn,
  sizeText,
  type SemaphoreSize,
} from "../../src/protocol/semaphore-size.js";

describe("The size of a semaphore", () => {
  for (const [text, size] of [
    ["4", { count: 4, version: 0 }],
    ["1000", { count: 1_000, version: 0 }],
    ["4@1764230400000", { count: 4, version: 1_764_230_400_000 }],
    ["10000@9007199254740991", { count: MAX_PERMITS, version: MAX_SIZE_VERSION }],
  ] as const) {
    it(`is ${text} as it is sent and stored`, () => {
      expect(sizeText(size)).to.equal(text);
      expect(sizeIn(text)).to.deep.equal(size);
      expect(semaphoreIn(`semaphore:${text}`)).to.deep.equal(size);
    });
  }

  for (const text of [
    ...["", "0", "04", "4:x", "4@", "4@0", "4@x", "10001", "4@9007199254740992"],
    `4@${"9".repeat(400)}`,
  ]) {
    it(`is not "${text}"`, () => {
      expect(sizeIn(text)).to.equal(undefined);
      expect(semaphoreIn(`semaphore:${text}`)).to.equal(undefined);
    });
  }

  for (const text of ["shared:", "turn:semaphore:4", "4"]) {
    it(`is in no lock key with "${text}"`, () => {
      expect(semaphoreIn(text)).to.equal(undefined);
    });
  }

  for (const [one, other, isNewer] of [
    [[4, 2], [9, 1], true],
    [[9, 1], [4, 2], false],
    [[9, 2], [4, 2], true],
    [[4, 2], [9, 2], false],
    [[4, 2], [4, 2], false],
    [[4, 1], [9, 0], true],
  ] as const) {
    it(`${one.join(" of version ")} ${isNewer ? "replaces" : "does not replace"} ${other.join(" of version ")}`, () => {
      const [size, than] = [one, other].map(([count, version]) => ({ count, version })) as [
        SemaphoreSize,
        SemaphoreSize,
      ];
      expect(isNewerSize(size, than)).to.equal(isNewer);
    });
  }

  it("stays what it is where nobody hears of a resize", () => {
    const size = { count: 4, version: 0 };
    const known = fixedSize(size);
    known.learn({ count: 5, version: 1 });
    expect(known.current).to.equal(size);
  });
});

describe("the version of the next size of a semaphore", () => {
  for (const [says, version, wallUs, next] of [
    ["is of the wall clock", 0, 1_764_230_400_000_999, 1_764_230_400_000],
    ["is newer, where the clock of another was ahead", 1_764_230_400_000, 5_000, 1_764_230_400_001],
    ["is above 0, whatever a clock shows", 0, -5, 1],
    ["is one that nodes can compare", MAX_SIZE_VERSION, 5_000, MAX_SIZE_VERSION],
  ] as const) {
    it(says, () => {
      expect(nextVersion({ count: 4, version }, wallUs)).to.equal(next);
    });
  }
});
