import { expect } from "chai";
import { ADVICE, adviceOf } from "../../src/cli/advice.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { ConfigError, EXIT, ExitError, exitCodeOf } from "../../src/cli/exit-codes.js";
import * as errors from "../../src/api/errors.js";
import {
  ForeignKeyError,
  MisconfiguredError,
  PermitsMismatchError,
} from "../../src/api/node-errors.js";
import { lossErrorOf } from "../../src/manager/loss-error.js";
import type { LossCause } from "../../src/coordinator/loss.js";
import { leaseSettings } from "../support/coordinator-bench.js";
import { callCli } from "../support/cli.js";

const TRIED = {
  ...{ waitedMs: 30, attemptCount: 1, marginMs: 0, heldNames: [] },
  ...{ isHeldHere: false, isReentrant: true },
};
const lossBy = (lossCause: LossCause): errors.LockLostError =>
  lossErrorOf("a", { lossReason: "expired", lossCause, settings: leaseSettings() }, ["n"]);

/** Those of the library that advise to do something that commands do in another way. */
const TOLD: readonly (readonly [error: errors.QuorateError, says: RegExp])[] = [
  [new errors.LockContendedError("a", []), /\. Try again later, or wait for it with --wait$/],
  [new errors.WaitTimeoutError("a", [], TRIED), /\. Try again later, or wait longer with --wait$/],
  [new errors.SplitError("a", []), /\. Try again, or wait for it with --wait$/],
  [new errors.OverloadedError("a", 5), /at once, or wait longer with --wait$/],
  [new errors.QuorumUnreachableError("a", []), /\. Check the nodes: `quorate doctor` says what/],
  [new errors.ValidityExhaustedError("a", []), /\. Raise --ttl, or find out why/],
  [new errors.NotReadyError([], 2, 5), /continues, and `quorate doctor` has the rest$/],
  [new MisconfiguredError("a", []), /\. Mend them: `quorate doctor` says what is wrong with each$/],
  [
    new MisconfiguredError("a", [], [], { listDifference: "one: a; other: b" }),
    /the same nodes: while they are being changed, pass --nodes-changed$/,
  ],
  [
    new MisconfiguredError("a", [], [], { recordedTtl: { neededMs: 9, recordedMs: 5 } }),
    /5 ms \(--max-ttl on record\)\. Set --max-ttl, which raises it .*, or use a shorter --ttl or --lock-delay$/,
  ],
  [new ForeignKeyError("a", "lock:a", "hash", []), /another name, or another --key-prefix$/],
  [
    new ForeignKeyError("a", "lock:a", "string without expiry", []),
    /another --key-prefix; or delete it, if it is a lock whose client crashed before it set the/,
  ],
  [new PermitsMismatchError("a", 4, 8, []), /\. Give the same --permits everywhere$/],
  [new errors.LockLostError("a", "maxHold"), /\. Finish sooner, or raise --max-hold$/],
  [lossBy({ kind: "stalled", forMs: 5 }), /, or raise --ttl$/],
  [lossBy({ kind: "queued" }), /, or raise --ttl$/],
  [lossBy({ kind: "unconfirmed", votes: [] }), /\. Check the nodes with `quorate doctor`$/],
];

describe("What commands advise to do", () => {
  for (const [error, says] of TOLD) {
    it(`can be done on the command line: ${error.message}`, () => {
      const text = adviceOf(error);
      expect(text).to.match(says);
      // Nothing of the API is left.
      expect(text.replaceAll("`quorate doctor`", "")).to.not.include("`");
      expect(exitCodeOf(error)).to.not.equal(EXIT.bug);
    });
  }

  it("has no row for what the library does not say", () => {
    const unused = ADVICE.filter(([part]) => !TOLD.some(([{ message }]) => message.includes(part)));
    expect(unused).to.deep.equal([]);
  });

  it("names commands and options that there are", () => {
    const known = COMMANDS.flatMap(({ name, options }) => [
      `quorate ${name}`,
      ...Object.keys(options).map((option) => `--${option}`),
    ]);
    const named = ADVICE.flatMap(([, here]) => here.match(/--[\w-]+|quorate \w+/g) ?? []);
    expect([...known, "--key-prefix"]).to.include.members(named);
  });

  it("leaves other errors as they are", () => {
    const text = "raise `waitMs`";
    for (const error of [new ConfigError(text), new ExitError(text, 3), new Error(text)]) {
      expect(adviceOf(error)).to.equal(text);
    }
  });

  it("is what a command prints, also as JSON", async () => {
    const [command] = COMMANDS;
    if (command === undefined) throw new Error("no command");
    const run = async (): Promise<never> => {
      throw new errors.SplitError("a", []);
    };
    const failing = { ...command, name: "try", words: { min: 0, max: 0, title: "" }, run };
    for (const args of [["try"], ["try", "--json"]]) {
      expect((await callCli(args, {}, [failing])).stderr).to.include("wait for it with --wait");
    }
  });
});
