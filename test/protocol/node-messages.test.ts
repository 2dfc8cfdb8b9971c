import { expect } from "chai";
import * as fc from "fast-check";
import {
  gatherMs,
  maxAgeMs,
  nextSpreadMs,
  parseLossMessage,
  parseNodeGrant,
  parseTurnMessage,
  provenText,
} from "../../src/protocol/node-messages.js";
import { turnMs } from "../../src/protocol/node-queue.js";
import { numbersText } from "../../src/protocol/permits.js";
import { MAX_PERMITS } from "../../src/protocol/semaphore-size.js";

const PROOF = "0123456789abcdef0123456789abcdef01234567";

const lockKeys = fc.string({ minLength: 1, maxLength: 40, unit: "binary" });
const numbers = fc.oneof(
  fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
  fc.nat(Number.MAX_SAFE_INTEGER),
);

describe("The message of a node that has executed a deferred acquire", () => {
  it("says which lock, with which fence, in which call the node heard of us, and the proof", () => {
    fc.assert(
      fc.property(
        lockKeys,
        numbers,
        numbers,
        fc.boolean(),
        (lockKey, fence, number, isWaitedFor) => {
          const text = `granted ${fence} ${number} ${isWaitedFor ? 1 : 0} ${PROOF} ${lockKey}`;
          const grant = { lockKey, fence, number, isWaitedFor, proof: PROOF };
          expect(parseNodeGrant(text)).to.deep.equal(grant);
        },
      ),
    );
  });

  for (const [what, text] of Object.entries({
    "nothing at all": "",
    "a notification": "20:lock:a",
    "one of a lock that is called like it": `20:granted 7 3 0 ${PROOF} lock:a`,
    "another word": `refused 7 3 0 ${PROOF} lock:a`,
    "a word in capitals": `GRANTED 7 3 0 ${PROOF} lock:a`,
    "text in front": ` granted 7 3 0 ${PROOF} lock:a`,
    "no fence": `granted 3 0 ${PROOF} lock:a`,
    "an empty fence": `granted  3 0 ${PROOF} lock:a`,
    "a negative fence": `granted -7 3 0 ${PROOF} lock:a`,
    "a signed fence": `granted +7 3 0 ${PROOF} lock:a`,
    "a fraction": `granted 7.5 3 0 ${PROOF} lock:a`,
    "an exponent": `granted 1e3 3 0 ${PROOF} lock:a`,
    "a hexadecimal fence": `granted 0x7 3 0 ${PROOF} lock:a`,
    "a fence with zeros in front": `granted 007 3 0 ${PROOF} lock:a`,
    "a fence in other digits": `granted ٧ 3 0 ${PROOF} lock:a`,
    "a fence that no number can tell from the next": `granted 9007199254740993 3 0 ${PROOF} lock:a`,
    "a fence of 17 digits": `granted 10000000000000000 3 0 ${PROOF} lock:a`,
    "a number that no number can tell": `granted 7 9007199254740992 0 ${PROOF} lock:a`,
    "a number that is none": `granted 7 NaN 0 ${PROOF} lock:a`,
    "a call before all": `granted 7 -1 0 ${PROOF} lock:a`,
    "neither yes nor no": `granted 7 3 2 ${PROOF} lock:a`,
    "a word for yes": `granted 7 3 true ${PROOF} lock:a`,
    "a proof that is too short": `granted 7 3 0 ${PROOF.slice(1)} lock:a`,
    "a proof that is too long": `granted 7 3 0 ${PROOF}0 lock:a`,
    "a proof in capitals": `granted 7 3 0 ${PROOF.toUpperCase()} lock:a`,
    "a proof with other letters": `granted 7 3 0 ${PROOF.replace("a", "g")} lock:a`,
    "no proof": `granted 7 3 0 lock:a`,
    "no lock": `granted 7 3 0 ${PROOF}`,
    "a lock without a key": `granted 7 3 0 ${PROOF} `,
    "other blanks": `granted\t7 3 0 ${PROOF} lock:a`,
    "a key that is too long": `granted 7 3 0 ${PROOF} ${"a".repeat(20_000)}`,
  })) {
    it(`is not ${what}`, () => {
      expect(parseNodeGrant(text)).to.equal(undefined);
    });
  }

  it("is read from any text without an error, and is nothing that a node would not say", () => {
    const parts = fc.oneof(
      fc.constantFrom("granted", " ", "7", "0", "1", PROOF, "lock:a", "-", ".", "\n", "\0"),
      fc.string({ maxLength: 5, unit: "binary" }),
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 14 }), (pieces) => {
        const text = pieces.join("");
        const grant = parseNodeGrant(text);
        if (grant === undefined) return;
        const { fence, number, isWaitedFor, proof, lockKey } = grant;
        const again = `granted ${fence} ${number} ${isWaitedFor ? 1 : 0} ${proof} ${lockKey}`;
        expect(again).to.equal(text);
      }),
    );
  });

  it("proves the owner, the record, the call and the fence, each by itself", () => {
    const said = { number: 3, fence: 7 };
    expect(provenText("owner", "record", said)).to.equal("owner record 3 7");
  });
});

describe("A deferred acquire", () => {
  for (const [ttlMs, usableMs, most] of [
    [60_000, 59_000, 500],
    [5_000, 4_900, 500],
    [4_999, 4_900, 499],
    [1_000, 900, 100],
    [1_000, 89, 44],
    [1_000, -1, 0],
    [19, 15, 1],
    [9, 8, 0],
  ] as const) {
    it(`of ${ttlMs} ms, ${usableMs} of them usable, is executed up to ${most} ms after its process was heard of`, () => {
      expect(maxAgeMs(ttlMs, usableMs)).to.equal(most);
    });
  }

  for (const [nodeTimeoutMs, spreadMs, waitMs] of [
    [1_000, undefined, 10],
    [100, undefined, 10],
    [50, undefined, 5],
    [200, 0.3, 5],
    [200, 4, 8],
    [200, 20, 40],
    [200, 60, 50],
    [1_000, 60, 120],
    [10, 1, 2.5],
  ] as const) {
    const known = spreadMs === undefined ? "none before" : `${spreadMs} ms before`;
    it(`waits ${waitMs} ms for the other nodes' messages, of a deadline of ${nodeTimeoutMs} ms, after a spread of ${known}`, () => {
      expect(gatherMs(nodeTimeoutMs, spreadMs)).to.equal(waitMs);
    });
  }

  it("knows the longest spread of late", () => {
    const spreads: number[] = [];
    for (const tookMs of [2, 16, 1, 1, 20]) spreads.push(nextSpreadMs(spreads.at(-1), tookMs));
    expect(spreads).to.deep.equal([2, 16, 14, 12.25, 20]);
    expect(nextSpreadMs(undefined, 0)).to.equal(0);
  });
});

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

describe("parseLossMessage", () => {
  it("reads how the ownerId begins", () => {
    expect(parseLossMessage("lost x9_K-2")).to.equal("x9_K-2");
  });

  for (const text of [
    ...["", "lost", "lost ", "lost x9_K", "lost x9_K-2a", "lost x9_K-é", " lost x9_K-2"],
    ...["lost  x9_K-2", "lost x9_K-2\n", "Lost x9_K-2", "20:lock:lost x9_K-2"],
  ]) {
    it(`takes ${JSON.stringify(text)} for none`, () => {
      expect(parseLossMessage(text)).to.equal(undefined);
    });
  }
});
