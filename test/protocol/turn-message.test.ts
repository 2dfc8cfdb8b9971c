import { expect } from "chai";
import * as fc from "fast-check";
import { turnMs } from "../../src/protocol/node-queue.js";
import { numbersText } from "../../src/protocol/permits.js";
import { MAX_PERMITS } from "../../src/protocol/semaphore-size.js";
import { parseTurnMessage } from "../../src/protocol/turn-message.js";

const lockKeys = fc.string({ minLength: 1, maxLength: 40, unit: "binary" });
const turns = fc.integer({ min: 0, max: 1_000_000 }).map(turnMs);

describe("A turn message", () => {
  it("says the key, how long it is kept and for which place, and of a semaphore the permits", () => {
    const prefixes = fc.constantFrom("", "r", "s", "s2,", "s10000,");
    const some = fc.uniqueArray(fc.nat(MAX_PERMITS - 1), { minLength: 1, maxLength: 9 });
    const permits = fc.option(
      some.map((list) => list.toSorted((a, b) => a - b)),
      { nil: undefined },
    );
    fc.assert(
      fc.property(lockKeys, turns, permits, prefixes, (lockKey, turnMs, numbers, prefix) => {
        const placePrefix = numbers === undefined ? prefix : "s";
        const text =
          numbers === undefined ? `${prefix}${turnMs}` : `${turnMs}/${numbersText(numbers)}`;
        const message = { lockKey, placePrefix, turnMs, permits: numbers };
        expect(parseTurnMessage(`${text}:${lockKey}`)).to.deep.equal(message);
      }),
    );
  });

  for (const text of [
    ...["", ":", "20", "20:", ":lock:a", "lock:a", "20/:lock:a", "20//1:lock:a", "20/1/1:lock:a"],
    ...["4:lock:a", "101:lock:a", "0:lock:a", "-20:lock:a", "+20:lock:a", "20.5:lock:a"],
    ...["1e2:lock:a", "0x20:lock:a", " 20:lock:a", "20 :lock:a", "NaN:lock:a", "Infinity:lock:a"],
    ...["20/-1:lock:a", "20/1.5:lock:a", "20/1e1:lock:a", "20/NaN:lock:a", "20/01:lock:a"],
    ...[
      "20/10000:lock:a",
      "20/2,1:lock:a",
      "20/1-:lock:a",
      "s0,20:lock:a",
      "r2,20:lock:a",
      "20/999999999:lock:a",
      "20/ 1:lock:a",
      "٢٠:lock:a",
      "99999999/1:lock:a",
    ],
    ...["x20:lock:a", "R20:lock:a", "rs20:lock:a", "r:lock:a", "s20/1:lock:a", "r20/1:lock:a"],
    ...[`20:${"a".repeat(60_000)}`, `${"2".repeat(60_000)}:lock:a`],
  ]) {
    it(`is not ${JSON.stringify(text.slice(0, 24))}`, () => {
      expect(parseTurnMessage(text)).to.equal(undefined);
    });
  }

  for (const [of, each] of [
    [2, 1],
    [3, 2],
  ] as const) {
    it(`says so of any permits that a node reserves, even ${each} of every ${of}`, () => {
      const all = Array.from({ length: MAX_PERMITS }, (_, permit) => permit);
      const permits = all.filter((permit) => permit % of < each);
      const turn = parseTurnMessage(`100/${numbersText(permits)}:lock:${"a".repeat(1_000)}`);
      expect(turn?.permits).to.deep.equal(permits);
    });
  }

  it("is read from any text without an error, and is nothing that a node would not say", () => {
    const parts = fc.oneof(
      fc.constantFrom("20", "r", "s", "/", ":", "lock:a", "5", "1000", "-", ".", "e", "\n", "\0"),
      fc.string({ maxLength: 5, unit: "binary" }),
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (pieces) => {
        const turn = parseTurnMessage(pieces.join(""));
        if (turn === undefined) return;
        expect(turn.turnMs).to.be.within(turnMs(0), turnMs(Infinity));
        expect(turn.lockKey).to.not.equal("");
        for (const number of turn.permits ?? []) expect(number).to.be.within(0, MAX_PERMITS - 1);
      }),
    );
  });
});
