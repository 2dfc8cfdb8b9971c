import { expect } from "chai";
import * as fc from "fast-check";
import { firstNumber, outOfStep } from "../../src/channel/out-of-step.js";
import type { BatchReply, HandshakeReply } from "../../src/channel/transport.js";
import { systemEntropy } from "../../src/runtime/system.js";
import { handshakeReply } from "../support/scripted-transport.js";
import { unit } from "../support/uniform.js";
import { granted } from "../support/votes.js";

const NUMBER = 281_474_976_710_655;

const votes = (number: number | undefined): BatchReply => {
  return { kind: "votes", number, votes: [granted()], isSameIncarnation: true };
};
const handshake = (number: number | undefined): HandshakeReply => {
  return { ...handshakeReply(), number };
};
const error = { kind: "error", message: "BUSY", isExecuted: "no" } as const;
const failed = { kind: "failed", failure: { message: "NOPERM", isMisconfigured: true } } as const;

describe("outOfStep", () => {
  for (const [title, reply, withScript, found] of [
    ["votes with its number", votes(NUMBER), false, undefined],
    ["votes with its number, of a call with the script", votes(NUMBER), true, undefined],
    ["votes with the next number", votes(NUMBER + 1), false, NUMBER + 1],
    ["votes with the last number", votes(NUMBER - 1), true, NUMBER - 1],
    ["votes with its number negated", votes(-NUMBER), false, -NUMBER],
    ["votes without a number", votes(undefined), false, "something without a number"],
    ["votes whose number is none", votes(Number.NaN), false, Number.NaN],
    ["a handshake with its number", handshake(NUMBER), undefined, undefined],
    ["a handshake with another number", handshake(1), undefined, 1],
    ["a handshake without a number", handshake(undefined), undefined, "something without a number"],
    ["NOSCRIPT, for a call without the script", { kind: "noScript" }, false, undefined],
    [
      "NOSCRIPT, for a call that carried the script",
      { kind: "noScript" },
      true,
      "that of a call without the script",
    ],
    ["an error, which is a fault in any case", error, false, undefined],
    ["a failed handshake", failed, undefined, undefined],
  ] as const) {
    it(`${found === undefined ? "believes" : "ends the connection for"} ${title}`, () => {
      const request = { number: NUMBER, ...(withScript !== undefined && { withScript }) };
      expect(outOfStep(request, reply)).to.deep.equal(
        found === undefined
          ? undefined
          : {
              message: `replies out of step: the reply to request ${NUMBER} is ${found}`,
              isMisconfigured: false,
              isOutOfStep: true,
            },
      );
    });
  }
});

describe("numbers of requests", () => {
  it("begin at 48 random bits, are never 0, and stay exact", () => {
    fc.assert(
      fc.property(unit, unit, (high, low) => {
        const units = [high, low];
        const first = firstNumber({
          unit: () => units.shift() ?? expect.fail("a third"),
          id: String,
        });
        expect(first).to.be.within(1, 2 ** 48);
        // A number for each of a million operations a second, for a century.
        expect(Number.isSafeInteger(first + 1e6 * 100 * 366 * 86_400)).to.equal(true);
      }),
    );
  });

  it("differ between connections, in all of their bits", () => {
    const firsts = Array.from({ length: 1_000 }, () => firstNumber(systemEntropy()));
    expect(new Set(firsts).size).to.equal(1_000);
    for (let bit = 0; bit < 48; bit++) {
      const set = firsts.filter((first) => Math.floor((first - 1) / 2 ** bit) % 2 === 1).length;
      expect(set, `bit ${bit}`).to.be.within(350, 650);
    }
  });
});
