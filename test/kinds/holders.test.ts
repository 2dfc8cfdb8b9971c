import { expect } from "chai";
import { keysOf } from "../../src/kinds/exclusive.js";
import { fenceAbove, holdersFound, holdersIn } from "../../src/kinds/holders.js";
import { MARKERS } from "../../src/protocol/markers.js";
import type { NameSnapshot, Vote } from "../../src/protocol/operation.js";
import { fault, foreign } from "../support/votes.js";

const KEYS = keysOf("lock:", "invoice");
const NOTHING: NameSnapshot = {
  holder: undefined,
  remainingMs: 0,
  fence: undefined,
  waitingCount: 0,
  coHolders: [],
};
const seen = (more: Partial<NameSnapshot> = {}): Vote => {
  return { kind: "granted", fence: 0, snapshot: { ...NOTHING, ...more } };
};

describe("what stands on the nodes", () => {
  it("every owner once, those on most nodes first", () => {
    const part = (text: string, remainingMs: number) => ({ text, remainingMs });
    const shared = { holder: "shared:", coHolders: [part("r", 5), part("q", 6)] };
    const votes = [
      seen({ holder: "a", remainingMs: 9 }),
      seen(shared),
      seen({ ...shared, coHolders: [part("r", 7)] }),
      seen({ holder: "turn:inbox", remainingMs: 3 }),
      seen({ holder: "semaphore:8", coHolders: [part("5:p:label", 4)] }),
      seen({ holder: `${MARKERS.owned}job`, coHolders: [part("h", 2)] }),
      ...[seen(), fault(), foreign()],
    ];
    const found = holdersFound(votes, KEYS).map(({ ownerId, keys, remainingMs }) => {
      return [ownerId, keys.id, [...remainingMs].join(" ")];
    });
    expect(found).to.deep.equal([
      ["r", "shared", "1,5 2,7"],
      ["a", "exclusive", "0,9"],
      ["q", "shared", "1,6"],
      ["p:label", "permit", "4,4"],
      ["h", "owned", "5,2"],
    ]);
    const [, , , permit, hold] = holdersFound(votes, KEYS);
    expect(permit?.keys.permits).to.deep.include({ wanted: 1, numbers: [5] });
    expect(permit?.keys.permits?.size.current.count).to.equal(8);
    expect(hold?.keys.owner).to.equal("job");
  });

  for (const { fences, above } of [
    { fences: [], above: undefined },
    { fences: [undefined, undefined], above: undefined },
    { fences: [7, undefined, 29], above: 40 },
    { fences: [Number.MAX_SAFE_INTEGER], above: Number.MAX_SAFE_INTEGER },
  ]) {
    it(`a token above ${String(fences)} is ${above}`, () => {
      expect(fenceAbove([fault(), ...fences.map((fence) => seen({ fence }))])).to.equal(above);
    });
  }

  it("is a lock in the layout of a timestamp only with its owner beside it", () => {
    const holder = "1700000000123";
    const coHolders = [{ text: "owner", remainingMs: 4 }];
    const idsIn = (more: Partial<NameSnapshot>): string[][] =>
      holdersIn({ ...NOTHING, holder, remainingMs: 9, ...more }, KEYS).map(
        ({ ownerId, keys, remainingMs }) => [ownerId, keys.id, String(remainingMs)],
      );
    expect(idsIn({ coHolders })).to.deep.equal([["owner", "timestamp", "4"]]);
    expect(idsIn({})).to.deep.equal([[holder, "exclusive", "9"]]);
  });
});
