import { expect } from "chai";
import * as fc from "fast-check";
import {
  copyText,
  differenceText,
  idOnLists,
  isSameList,
  listFieldOf,
  nodeListText,
  parseNodeList,
  type ListedNode,
  type OwnNode,
} from "../../src/protocol/node-list.js";

/** Every set of them that is a quorum of so many. */
function quorums(ids: readonly string[], count: number): readonly (readonly string[])[] {
  const size = Math.floor(count / 2) + 1;
  return Array.from({ length: 2 ** ids.length }, (_, mask) =>
    ids.filter((_id, at) => (mask >> at) % 2 === 1),
  ).filter((set) => set.length >= size);
}

const listed = (...ids: string[]): ListedNode[] => ids.map((id) => ({ id, name: `${id}:6379` }));

const anyList = fc.uniqueArray(
  fc.record({
    id: fc.stringMatching(/^[\w-]{1,22}$/),
    name: fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 32 },
);

describe("nodeListText", () => {
  it("is read back as it was, sorted by id", () => {
    fc.assert(
      fc.property(anyList, (list) => {
        const read = parseNodeList(nodeListText(list));
        expect(read?.toSorted((a, b) => (a.id < b.id ? -1 : 1))).to.deep.equal(
          list.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        );
        expect(nodeListText(list.toReversed())).to.equal(nodeListText(list));
      }),
    );
  });

  it("has a field of its own for each key prefix", () => {
    expect(listFieldOf("lock:")).to.equal("nodes:lock:");
    expect(listFieldOf("")).to.equal("nodes:");
  });
});

describe("parseNodeList", () => {
  const many = Array.from({ length: 101 }, (_, at) => `n${at}=a`).join(" ");
  for (const text of ["", " ", "a", "a=", "=b", "a=b ", "a=b  c=d", "a=b c", "a=b a=c", "ü=b"]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseNodeList(text)).to.equal(undefined);
    });
  }
  for (const text of ["a=%", "a=%zz", "a=%ff", "a=b/c", `a=${"x".repeat(1_001)}`, many]) {
    it(`refuses ${text.slice(0, 20)}`, () => {
      expect(parseNodeList(text)).to.equal(undefined);
    });
  }
});

describe("isSameList", () => {
  const own = (...ids: (string | undefined)[]): OwnNode[] =>
    ids.map((id, at) => ({ id, name: `own${at}` }));
  for (const [title, theirs, ours, isSame] of [
    ["the same, in another order", ["a", "b", "c"], ["c", "a", "b"], true],
    ["one of three", ["a", "b", "c"], ["a"], false],
    ["one more", ["a", "b", "c"], ["a", "b", "c", "d"], false],
    ["as many, with another", ["a", "b", "c"], ["a", "b", "d"], false],
    ["one that was not seen yet", ["a", "b", "c"], ["a", undefined, "c"], true],
    ["none that was seen yet", ["a", "b", "c"], [undefined, undefined, undefined], true],
    ["one without an id", ["a", "b", "c"], ["a", "b", ""], false],
    ["two with one id", ["a", "b", "c"], ["a", "b", "a"], false],
  ] as const) {
    it(`is ${isSame} for ${title}`, () => {
      expect(isSameList(listed(...theirs), own(...ours))).to.equal(isSame);
    });
  }

  it("lets nobody lock on a quorum that does not overlap one of the list", () => {
    const letter = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
    const bounds = { minLength: 1, maxLength: 5 };
    const ids = fc.uniqueArray(letter, bounds);
    // Nodes of which one was copied to another.
    const any = fc.oneof(ids, fc.array(letter, bounds));
    fc.assert(
      fc.property(ids, any, fc.infiniteStream(fc.boolean()), (theirs, ours, seen) => {
        const nodes = ours.map((id) => (seen.next().value ? id : undefined));
        if (!isSameList(listed(...theirs), own(...nodes))) return;
        // Who was seen can vote.
        const known = nodes.filter((id) => id !== undefined);
        for (const one of quorums(known, ours.length)) {
          for (const other of quorums(theirs, theirs.length)) {
            expect(one.some((id) => other.includes(id))).to.equal(true);
          }
        }
      }),
    );
  });
});

describe("copyText", () => {
  for (const [ids, copies] of [
    [["a", "b", "a"], /^own0 and own2 count as one/],
    [["a", "b", "b"], /^own1 and own2 count as one/],
    [["a", "b", "c"], undefined],
    // Not seen yet, and without an id.
    [["a", undefined, undefined], undefined],
    [["a", "", ""], undefined],
  ] as const) {
    it(`of ${ids.join()} is ${copies ?? "nothing"}`, () => {
      const text = copyText(ids.map((id, at) => ({ id, name: `own${at}` })));
      if (copies === undefined) expect(text).to.equal(undefined);
      else expect(text).to.match(copies);
    });
  }
});

describe("idOnLists", () => {
  it("is the one that all lists give the name", () => {
    expect(idOnLists("b:6379", [listed("a", "b"), listed("b", "c")], [])).to.equal("b");
    expect(idOnLists("x:6379", [listed("a", "b")], [])).to.equal(undefined);
    expect(idOnLists("b:6379", [], [])).to.equal(undefined);
  });

  it("is none where lists contradict, or where another node of ours has it", () => {
    const other = [{ id: "z", name: "b:6379" }];
    expect(idOnLists("b:6379", [listed("a", "b"), other], [])).to.equal(undefined);
    const taken = [{ id: "b", name: "elsewhere" }];
    expect(idOnLists("b:6379", [listed("a", "b")], taken)).to.equal(undefined);
  });
});

describe("differenceText", () => {
  it("has both lists, and the prefix", () => {
    const own = [{ id: "a", name: "a:6379" }];
    expect(differenceText(listed("b", "a"), own, "shop:")).to.equal(
      'other clients of "shop:" use a:6379, b:6379 (on record), a:6379 here',
    );
  });

  it("says so where only the servers behind the names are others", () => {
    const own = [{ id: "z", name: "a:6379" }];
    expect(differenceText(listed("a"), own, "")).to.include(
      "a:6379 (on record), here, too, but not",
    );
  });
});
