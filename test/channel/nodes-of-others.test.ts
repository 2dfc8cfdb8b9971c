import { expect } from "chai";
import { NodesOfOthers } from "../../src/channel/nodes-of-others.js";
import { nodeListText } from "../../src/protocol/node-list.js";
import type { IncarnationRecord } from "../../src/protocol/record.js";
import { recordOf } from "../support/scripted-transport.js";

const NAMES = ["a:1", "b:1", "c:1"];
const LISTED = NAMES.map((name, at) => ({ id: `n${at}`, name }));
const TEXT = nodeListText(LISTED);

class Bench {
  readonly lists: NodesOfOthers;

  constructor(names: readonly string[] = NAMES) {
    this.lists = new NodesOfOthers("lock:", names);
  }

  see(
    index: number,
    nodeId: string,
    nodeList = "",
    over: Partial<IncarnationRecord> = {},
    lastNodeList = nodeList,
  ): this {
    const record = recordOf({ id: `r${index}`, nodeCount: 0, nodeId, ...over });
    this.lists.onSeen(index, { record, nodeList, lastNodeList });
    return this;
  }

  /** Without a record. */
  bare(...indexes: number[]): this {
    const nothing = { record: undefined, nodeList: "", lastNodeList: "" };
    for (const index of indexes) this.lists.onSeen(index, nothing);
    return this;
  }

  get differences(): readonly boolean[] {
    return NAMES.map((_, index) => this.lists.differenceOn(index) !== undefined);
  }
}

describe("NodesOfOthers: what is put on record", () => {
  it("is an id for each node of a new deployment, once all were seen", () => {
    const bench = new Bench().bare(0, 1);
    expect(bench.lists.offerFor(0)).to.include({ nodeId: undefined, isToGetId: false });
    bench.bare(2);
    for (const index of [0, 1, 2]) {
      expect(bench.lists.offerFor(index)).to.include({ isToGetId: true, list: undefined });
    }
    expect(bench.lists.takeLacking(), "there is no record for it yet").to.deep.equal([]);
  });

  it("is the list, on each node once, when all ids are on record", () => {
    const bench = new Bench().see(0, "n0").see(1, "n1");
    expect(bench.lists.offerFor(0).list).to.equal(undefined);
    expect(bench.lists.takeLacking()).to.deep.equal([]);
    bench.see(2, "n2");
    expect(bench.lists.offerFor(0)).to.deep.equal({
      keyPrefix: "lock:",
      nodeId: "n0",
      isToGetId: false,
      list: TEXT,
    });
    expect(bench.lists.takeLacking()).to.deep.equal([0, 1, 2]);
    expect(bench.lists.takeLacking(), "asked already").to.deep.equal([]);
    bench.see(1, "n1", TEXT);
    expect(bench.lists.takeLacking(), "in vain, at the others").to.deep.equal([]);
  });

  it("is a new id for a node that no list names, also while nodes are missing", () => {
    const bench = new Bench(["a:1", "b:1", "new:1"]).see(0, "n0", TEXT).see(2, "");
    expect(bench.lists.offerFor(2)).to.include({ nodeId: undefined, isToGetId: true });
    expect(bench.lists.takeLacking()).to.deep.equal([2]);
  });

  it("is no list if others have another, anywhere", () => {
    const bench = new Bench(["a:1", "b:1", "d:1"]).see(0, "n0", TEXT).see(1, "n1").see(2, "n9");
    expect(bench.lists.offerFor(1).list).to.equal(undefined);
  });

  it("is nothing on a Cluster", () => {
    const bench = new Bench().see(0, "n0").see(1, "n1").see(2, "n2", "", { state: "unkept" });
    expect(bench.lists.takeLacking()).to.deep.equal([0, 1]);
  });

  for (const [what, knows] of [
    ["a client that knew it", true],
    ["one that knows its name from the lists of the others", false],
  ] as const) {
    it(`is the same id again for a node that was flushed, by ${what}`, () => {
      const bench = new Bench();
      if (knows) for (const index of [0, 1, 2]) bench.see(index, `n${index}`, TEXT);
      bench.see(0, "n0", TEXT).see(1, "n1", TEXT).see(2, "", "", { id: "new" });
      expect(bench.differences).to.deep.equal([false, false, false]);
      expect(bench.lists.offerFor(2)).to.include({ nodeId: "n2", isToGetId: false });
      expect(bench.lists.takeLacking()).to.deep.equal([2]);
      bench.see(2, "n2", "", { id: "new" });
      expect(bench.lists.offerFor(2).list).to.equal(TEXT);
      expect(bench.lists.takeLacking()).to.deep.equal([2]);
    });
  }
});

describe("NodesOfOthers: the first client of a key prefix", () => {
  it("gives a node that was flushed the id that it has in the list of another prefix", () => {
    const bench = new Bench().see(0, "n0", "", {}, TEXT).see(2, "", "", { id: "new" });
    const nothing = { nodeId: undefined, isToGetId: false };
    expect(bench.lists.offerFor(2), "not before all were seen").to.include(nothing);
    bench.see(1, "n1", "", {}, TEXT);
    expect(bench.lists.offerFor(2)).to.include({ nodeId: "n2", isToGetId: false, list: undefined });
    expect(bench.lists.takeLacking()).to.deep.equal([2]);
  });

  it("goes by the lists of its own prefix first", () => {
    const others = nodeListText([...LISTED.slice(0, 2), { id: "n9", name: "c:1" }]);
    const bench = new Bench().see(0, "n0", TEXT, {}, others).see(1, "n1", "", {}, others);
    expect(bench.see(2, "").lists.offerFor(2)).to.include({ nodeId: "n2" });
  });

  it("has no list that differs from that of another prefix", () => {
    const bench = new Bench(["a:1", "b:1", "d:1"]).see(0, "n0", "", {}, TEXT);
    bench.see(1, "n1", "", {}, TEXT).see(2, "n9", "", {}, TEXT);
    expect(bench.differences).to.deep.equal([false, false, false]);
    expect(bench.lists.offerFor(0).list).to.be.a("string");
  });
});

describe("NodesOfOthers: which differ", () => {
  it("none, if they have the nodes under other names", () => {
    const bench = new Bench(["x:1", "y:1", "z:1"]);
    for (const index of [0, 1, 2]) bench.see(index, `n${index}`, TEXT);
    expect(bench.differences).to.deep.equal([false, false, false]);
    expect(bench.lists.difference).to.equal(undefined);
  });

  for (const [title, names, ids] of [
    ["one of three", ["a:1"], ["n0"]],
    ["four", [...NAMES, "d:1"], ["n0", "n1", "n2", "n3"]],
    ["as many, with another in use elsewhere", ["a:1", "b:1", "d:1"], ["n0", "n1", "n9"]],
    ["as many, with a new one", ["a:1", "b:1", "d:1"], ["n0", "n1", ""]],
    ["the same addresses, with another server", NAMES, ["n0", "n1", "n9"]],
  ] as const) {
    it(`those of a client with ${title}`, () => {
      const bench = new Bench(names);
      ids.forEach((id, index) => bench.see(index, id, index < 2 ? TEXT : ""));
      expect(bench.lists.differenceOn(0)).to.be.a("string");
      expect(bench.lists.difference).to.include("a:1, b:1, c:1");
    });
  }

  it("none as long as the other node is away", () => {
    const bench = new Bench(["a:1", "b:1", "d:1"]).see(0, "n0", TEXT).see(1, "n1", TEXT);
    expect(bench.lists.difference).to.equal(undefined);
    bench.see(2, "n9");
    expect(bench.differences).to.deep.equal([true, true, false]);
  });

  it("none any more when the list on record has been corrected", () => {
    const bench = new Bench(["a:1"]).see(0, "n0", TEXT);
    expect(bench.lists.difference).to.be.a("string");
    bench.see(0, "n0");
    expect(bench.lists.difference).to.equal(undefined);
    expect(bench.lists.offerFor(0).list).to.equal("n0=a%3A1");
  });

  it("one from before there were lists goes by the number of nodes", () => {
    const bench = new Bench().see(0, "n0", "", { nodeCount: 5 }).see(1, "n1").see(2, "n2");
    expect(bench.lists.differenceOn(0)).to.include("5 nodes").and.include("3");
    expect(bench.lists.offerFor(0).list).to.equal(undefined);
    bench.see(0, "n0", "", { nodeCount: 3 });
    expect(bench.lists.difference).to.equal(undefined);
    expect(bench.lists.offerFor(0).list).to.equal(TEXT);
  });

  it("two of ours with one id, whatever is listed", () => {
    for (const list of [TEXT, ""]) {
      const bench = new Bench().see(0, "n0", list).see(1, "n1", list).see(2, "n0", list);
      expect(bench.differences).to.deep.equal([true, true, true]);
      expect(bench.lists.difference).to.match(/^a:1 and c:1 count as one, .*FLUSHALL/);
      expect(bench.lists.offerFor(1).list).to.equal(undefined);
    }
  });

  it("none any more once the copy was emptied, which gets the id that it had, or a new one", () => {
    for (const list of [TEXT, ""]) {
      const bench = new Bench().see(0, "n0", list).see(1, "n1", list).see(2, "n0", list);
      const { nodeId, isToGetId } = bench.lists.offerFor(2);
      expect(nodeId).to.equal(list === "" ? undefined : "n2");
      expect(isToGetId).to.equal(list === "");
      bench.see(2, nodeId ?? "n9");
      expect(bench.lists.difference).to.equal(undefined);
      expect(bench.lists.offerFor(2).list).to.be.a("string");
    }
  });

  it("garbage, which is no list", () => {
    const bench = new Bench().see(0, "n0", "garbage").see(1, "n1").see(2, "n2");
    expect(bench.lists.differenceOn(0)).to.include("no version of quorate");
    expect(bench.lists.offerFor(1).list).to.equal(undefined);
  });
});
