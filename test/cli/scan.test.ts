import { expect } from "chai";
import { gapsOf, scanOf } from "../../src/cli/scan.js";

const DOWN = { node: "a:1", message: "no answer\u0007", isMisconfigured: false };
const DENIED = { node: "b:1", message: "add +scan", isMisconfigured: true };
const ALL = { isCut: false, isComplete: true, failures: [] };
const FEW = "too few nodes were scanned: held names may be missing";

/** Several searches, and what is said of them. */
const SCANS: readonly (readonly [
  what: string,
  found: Parameters<typeof scanOf>[0],
  is: { readonly isCut: boolean; readonly isComplete: boolean },
  says: readonly string[],
])[] = [
  ["none", [], { isCut: false, isComplete: true }, []],
  ["complete ones", [ALL, ALL], { isCut: false, isComplete: true }, []],
  ["one that was cut", [ALL, { ...ALL, isCut: true }], { isCut: true, isComplete: true }, []],
  [
    "one without a node",
    [{ ...ALL, failures: [DOWN] }],
    { isCut: false, isComplete: true },
    ["a:1 was not scanned: no answer\\x07"],
  ],
  [
    "one of too few nodes, and another of all",
    [ALL, { ...ALL, isComplete: false, failures: [DOWN, DENIED] }],
    { isCut: false, isComplete: false },
    ["a:1 was not scanned: no answer\\x07", "b:1 was not scanned: add +scan", FEW],
  ],
  [
    "two without the same node",
    [
      { ...ALL, failures: [DENIED] },
      { ...ALL, isComplete: false, failures: [DENIED, DOWN] },
    ],
    { isCut: false, isComplete: false },
    ["b:1 was not scanned: add +scan", "a:1 was not scanned: no answer\\x07", FEW],
  ],
];

describe("What was scanned for names", () => {
  for (const [what, found, is, says] of SCANS) {
    it(`is summed up of ${what}`, () => {
      const scan = scanOf(found);
      expect(scan).to.include(is);
      expect(gapsOf(scan)).to.deep.equal(says);
      for (const failure of scan.failures) expect(failure).to.have.all.keys("node", "message");
    });
  }
});
