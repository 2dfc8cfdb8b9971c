import { expect } from "chai";
import * as fc from "fast-check";
import {
  gatherMs,
  maxAgeMs,
  nextSpreadMs,
  parseNodeGrant,
  provenText,
} from "../../src/protocol/node-grant.js";

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
