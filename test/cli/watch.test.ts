import { expect } from "chai";
import { linesOf, screenOf, type Tick } from "../../src/cli/watch.js";

const TICK: Tick = {
  ...{ atMs: 0, quorum: { nodeCount: 3, size: 2, votes: 3 }, nodes: [], names: [] },
  ...{ isCut: false, isComplete: true, failures: [] },
};
const ROW: Tick["names"][number] = {
  ...{ name: "a", state: "held", mode: "exclusive", label: "web-1", holderCount: 1 },
  ...{ nodeCount: 2, remainingMs: 1_000, freeInMs: 5_000, waitingCount: 0 },
};
const CELLS = "a  held  exclusive  web-1  2 of 3  5.0 s  0";
const FAILURE = { node: "c:1", message: "add +scan" };
const NOT_SCANNED = "c:1 was not scanned: add +scan";
const FEW = "too few nodes were scanned: held names may be missing";
const PART = { isComplete: false, failures: [FAILURE] };

const TICKS: readonly (readonly [
  what: string,
  tick: Partial<Tick>,
  lines: readonly string[],
  ofScreen: readonly string[],
])[] = [
  ["no locks", {}, ["3 of 3 nodes vote, no locks"], []],
  ["no locks on those that matter", { failures: [FAILURE] }, ["3 of 3 nodes vote, no locks"], []],
  ["a lock", { names: [ROW] }, [CELLS], []],
  ["a lock, whoever was not scanned", { names: [ROW], failures: [FAILURE] }, [CELLS], []],
  ["that locks may be missing", PART, [NOT_SCANNED, FEW], [NOT_SCANNED, FEW]],
  [
    "that further locks may be missing",
    { ...PART, names: [ROW] },
    [CELLS, NOT_SCANNED, FEW],
    [NOT_SCANNED, FEW],
  ],
];

describe("quorate watch", () => {
  for (const [what, given, lines, ofScreen] of TICKS) {
    it(`shows ${what}`, () => {
      const tick = { ...TICK, ...given };
      expect(linesOf(tick)).to.deep.equal(lines.map((line) => `1970-01-01T00:00:00.000Z  ${line}`));
      const [first, ...screen] = screenOf(tick, 100, 24);
      expect(first).to.include("3 of 3 nodes vote, 2 are needed");
      const heading = screen.findIndex((line) => line.startsWith("NAME"));
      expect(screen.slice(0, heading)).to.deep.equal([...ofScreen, ""]);
      expect(screen.slice(heading + 1)).to.have.length(tick.names.length);
    });
  }

  it("keeps to the size of its screen", () => {
    const names = Array.from({ length: 30 }, () => ROW);
    const screen = screenOf({ ...TICK, names }, 20, 10);
    expect(screen).to.have.length(9);
    expect(screen.at(-1)).to.equal("... 25 more lines");
    for (const line of screen) expect(line.length).to.be.at.most(20);
  });
});
