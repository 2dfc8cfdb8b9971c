import { expect } from "chai";
import { cellsOf, isStanding, rowOf, rowsOf } from "../../src/cli/name-rows.js";
import type { HolderReport, LockManager, LockReport, NodeReport } from "../../src/index.js";

describe("A name that was found", () => {
  const node = (state: NodeReport["state"]): NodeReport => ({
    ...{ node: "a", state, fingerprints: [], freeInMs: 0, waitingCount: 0 },
  });
  const report = (state: LockReport["state"], ...states: NodeReport["state"][]): LockReport => ({
    ...{ name: "n", state, isQuorate: state !== "undecided", holders: [], waitingCount: 0 },
    nodes: states.map(node),
  });

  for (const [title, given, isShown] of [
    ["held", report("held", "held", "held", "free"), true],
    ["left on a minority", report("free", "held", "free", "free"), true],
    ["somebody's data", report("undecided", "foreign", "foreign", "unanswered"), true],
    ["not answered for in time", report("undecided", "unanswered", "unanswered", "free"), true],
    ["free by now", report("free", "free", "free", "unanswered"), false],
  ] as const) {
    it(`is ${isShown ? "listed" : "left out"} if it is ${title}`, () => {
      expect(isStanding(rowOf(given))).to.equal(isShown);
    });
  }
});

describe("The row of a name", () => {
  const HOLDER: HolderReport = {
    ...{ fingerprint: "0123abcd", label: "h\u0007", mode: "exclusive", freeInMs: 12_300 },
    ...{ remainingMs: 7_300, nodes: ["a", "b"], isQuorate: true },
  };
  const { label: _, ...unlabelled } = HOLDER;
  const ROWS: readonly (readonly [
    what: string,
    holders: readonly HolderReport[],
    states: readonly NodeReport["state"][],
    cells: string,
  ])[] = [
    ["a lock", [HOLDER], ["held", "held", "free"], "held exclusive h\\x07 2 of 3 12.3 s 4"],
    ["no lock", [], ["free", "free", "turn"], "held - - 0 of 3 - 4"],
    ["other data", [], ["foreign", "held", "free"], "data - - 2 of 3 - 4"],
    ["other data on one node", [], ["foreign", "free", "free"], "data - - 1 of 3 - 4"],
    ["no label", [unlabelled], ["held"], "held exclusive (no label) 1 of 3 12.3 s 4"],
    [
      "readers, of whom one stays longest",
      [1, 70_000, 3].map((freeInMs) => ({ ...HOLDER, mode: "shared" as const, freeInMs })),
      ["held"],
      "held shared h\\x07 and 2 more 1 of 3 1 m 10 s 4",
    ],
    ["a permit", [{ ...HOLDER, permit: 0 }], ["held"], "held semaphore h\\x07 1 of 3 12.3 s 4"],
    ["an owner", [{ ...HOLDER, owner: "o" }], ["held"], "held owned h\\x07 1 of 3 12.3 s 4"],
  ];
  for (const [what, holders, states, cells] of ROWS) {
    it(`shows ${what}`, () => {
      const nodes = states.map((state) => ({ state }) as NodeReport);
      const about = { name: "n\n", state: "held", holders, nodes, waitingCount: 4 } as const;
      const row = rowOf(about as unknown as LockReport);
      expect(cellsOf(row, 3).join(" ")).to.equal(`n\\x0a ${cells}`);
    });
  }

  it("is asked for in portions, and comes in the order of the names", async () => {
    let [open, most] = [0, 0];
    const inspect = async (name: string): Promise<LockReport> => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      open--;
      return { name, state: "free", holders: [], nodes: [], waitingCount: 0 } as never;
    };
    const names = Array.from({ length: 600 }, (_, at) => `name ${at}`);
    const rows = await rowsOf({ inspect } as unknown as LockManager, names);
    expect(rows.map(({ name }) => name)).to.deep.equal(names);
    expect(most).to.equal(256);
  });
});
