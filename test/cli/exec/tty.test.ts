import { expect } from "chai";
import { UsageError } from "../../../src/cli/exit-codes.js";
import { staysInTerminal, TTY_CHOICES } from "../../../src/cli/exec/tty.js";

/** By whether quorate leads its group, and whether it has a terminal; undefined: refused. */
const STAYS: Readonly<Record<string, boolean | undefined>> = {
  "auto leads with a terminal": true,
  "auto leads without": false,
  "auto follows with a terminal": false,
  "auto follows without": false,
  "always leads with a terminal": true,
  "always leads without": true,
  "always follows with a terminal": undefined,
  "always follows without": undefined,
  "never leads with a terminal": false,
  "never leads without": false,
  "never follows with a terminal": false,
  "never follows without": false,
};

describe("A command stays in the terminal", () => {
  for (const choice of TTY_CHOICES) {
    for (const isLeader of [true, false]) {
      for (const hasTerminal of [true, false]) {
        const title = `${choice} ${isLeader ? "leads" : "follows"} ${hasTerminal ? "with a terminal" : "without"}`;
        it(`or not: ${title}`, () => {
          expect(STAYS).to.have.property(title);
          const stays = (): boolean => staysInTerminal(choice, isLeader, hasTerminal);
          if (STAYS[title] === undefined) expect(stays).to.throw(UsageError, /--tty always: /);
          else expect(stays()).to.equal(STAYS[title]);
        });
      }
    }
  }
});
