import { expect } from "chai";
import type { NameSnapshot } from "../../src/protocol/operation.js";
import {
  agreedOn,
  isLater,
  isNews,
  isOver,
  withLatest,
  isUnsealed,
  parseStanding,
  parseWatchMessage,
  standingIn,
  type Holding,
  type NodeStanding,
  provenStanding,
  reachedBy,
} from "../../src/protocol/watching.js";

const [A, B] = ["a".repeat(40), "b".repeat(40)];
const FREE: NodeStanding = {
  ...{ who: undefined, label: undefined, fence: 7, number: 0, value: undefined },
};
const held = (who: string, fence: number, number = 0, value?: string): NodeStanding => ({
  ...{ who, label: "host", fence, number, value },
});

describe("parseWatchMessage", () => {
  it("takes a message of a node apart", () => {
    expect(parseWatchMessage(`${A} free 7`)).to.deep.equal({ proof: A, text: "free 7" });
  });
  for (const [title, message] of [
    ["without a proof", "free 7"],
    ["with a proof that is none", `${"x".repeat(40)} free 7`],
    ["of another kind", `${A} 20:lock:a`],
    ["that is too long", `${A} held ${"x".repeat(20_000)}`],
  ] as const) {
    it(`drops one ${title}`, () => expect(parseWatchMessage(message)).to.equal(undefined));
  }
});

describe("parseStanding", () => {
  for (const [title, text, standing] of [
    ["nobody", "free 7", FREE],
    ["a holder", `held 9 0 ${A} 4 host`, held(A, 9)],
    ["what it proclaims", `held 9 2 ${A} 4 host10.0.0.1:80`, held(A, 9, 2, "10.0.0.1:80")],
    ["labels by their bytes", `held 9 1 ${A} 3 é!y`, { ...held(A, 9, 1, "y"), label: "é!" }],
    ["lines and spaces", `held 9 1 ${A} 2 \n y z`, { ...held(A, 9, 1, "y z"), label: "\n " }],
    ["a holder without a label", `held 9 1 ${A} 0 x`, { ...held(A, 9, 1, "x"), label: undefined }],
    ["an empty value", `held 9 1 ${A} 4 host`, held(A, 9, 1, "")],
  ] as const) {
    it(`reads ${title}`, () => expect(parseStanding(text)).to.deep.equal(standing));
  }
  for (const [title, text] of [
    ["a fence that is no safe integer", "free 9999999999999999"],
    ["more after nobody", "free 7 1"],
    ["a holder without a hash", "held 9 0 me 0 "],
    ["a label that is longer than the rest", `held 9 0 ${A} 5 host`],
    ["a number with zeros", `held 09 0 ${A} 4 host`],
  ] as const) {
    it(`drops ${title}`, () => expect(parseStanding(text)).to.equal(undefined));
  }
});

describe("standingIn", () => {
  const snapshot: NameSnapshot = {
    ...{ holder: `${"x".repeat(21)}A:host`, who: A, remainingMs: 5, fence: 9, waitingCount: 0 },
    coHolders: [],
  };
  for (const [title, of, standing] of [
    ["a holder with the counter", snapshot, held(A, 9)],
    [
      "the token beside what it has proclaimed",
      { ...snapshot, proclaimed: { token: 8, number: 2, value: "x" } },
      held(A, 8, 2, "x"),
    ],
    ["nobody", { ...snapshot, holder: undefined, fence: 7 }, FREE],
    ["nobody where the name is reserved", { ...snapshot, holder: "turn:p", fence: 7 }, FREE],
    ["a counter that is missing", { ...snapshot, fence: undefined }, held(A, 0)],
  ] as const) {
    it(`has ${title}`, () => expect(standingIn(of)).to.deep.equal(standing));
  }
});

describe("isLater", () => {
  const inOrder = [held(A, 5), held(A, 5, 1), held(A, 5, 2), { ...FREE, fence: 5 }, held(B, 6)];
  it("orders what a node says, whatever the order of its messages", () => {
    for (const [at, one] of inOrder.entries()) {
      for (const [before, other] of inOrder.entries()) {
        expect(isLater(one, other), `${at} after ${before}`).to.equal(at > before);
      }
    }
  });
});

describe("isLater of one holder", () => {
  it("is by what it proclaims, where another name has raised the counter above its token", () => {
    const [before, after] = [held(A, 9), held(A, 5, 1, "x")];
    expect(isLater(after, before)).to.equal(true);
    expect(isLater(before, after)).to.equal(false);
  });
});

describe("isNews", () => {
  const [a, b] = [held(A, 5, 2, "y"), held(B, 6)] as [Holding, Holding];
  for (const [title, shown, agreed, is] of [
    ["the first", undefined, a, true],
    ["nobody at first", undefined, null, true],
    ["the next holder", a, b, true],
    ["nobody", a, null, true],
    ["a holder after nobody", null, a, true],
    ["the next value", a, { ...a, number: 3 }, true],
    ["not the same again", a, { ...a }, false],
    ["not nobody again", null, null, false],
    ["not the same with another counter", a, { ...a, fence: 9 }, false],
  ] as const) {
    it(`is ${title}`, () => expect(isNews(shown, agreed)).to.equal(is));
  }
});

describe("withLatest", () => {
  const [last, next] = [held(A, 5, 2, "y"), held(B, 6)] as [Holding, Holding];
  for (const [title, agreed, of, latest] of [
    ["what is said at first", last, undefined, last],
    [
      "what was shown, where less is said of its holder",
      held(A, 7, 1, "x"),
      last,
      held(A, 7, 2, "y"),
    ],
    ["what was shown, where nothing is said of its holder", held(A, 5), last, last],
    ["the next value", held(A, 5, 3, "z"), last, held(A, 5, 3, "z")],
    ["what is said of another holder", next, last, next],
  ] as const) {
    it(`is ${title}`, () => expect(withLatest(agreed as Holding, of)).to.deep.equal(latest));
  }
});

describe("isOver", () => {
  const [a, b] = [held(A, 5), held(B, 6)] as [Holding, Holding];
  for (const [title, agreed, shown, last, is] of [
    ["a holder whose end was shown", a, null, a, true],
    ["not the next one", b, null, a, false],
    ["not the one that is shown", a, a, a, false],
    ["not the first one", a, undefined, undefined, false],
    ["not the first one after nobody", a, null, undefined, false],
    ["not nobody", null, null, a, false],
  ] as const) {
    it(`is ${title}`, () => expect(isOver(agreed, shown, last)).to.equal(is));
  }
});

describe("agreedOn", () => {
  for (const { title, said, agreed } of [
    { title: "a holder of a quorum", said: [held(A, 5), FREE, held(A, 5)], agreed: held(A, 5) },
    { title: "nobody", said: [FREE, FREE, held(A, 5)], agreed: null },
    {
      title: "nothing where nodes differ",
      said: [FREE, held(A, 5), held(B, 6)],
      agreed: undefined,
    },
    { title: "nothing where nodes are silent", said: [held(A, 5), undefined, undefined] },
    {
      title: "the token that a quorum has reached",
      said: [held(A, 9), held(A, 6), held(A, 5)],
      agreed: held(A, 6),
    },
    {
      title: "the last value that a quorum has",
      said: [held(A, 5, 3, "z"), held(A, 5, 2, "y"), held(A, 5, 1, "x")],
      agreed: held(A, 5, 2, "y"),
    },
    {
      title: "no value that only a minority has",
      said: [held(A, 5, 1, "x"), held(A, 5), held(A, 5)],
      agreed: held(A, 5),
    },
  ] as const) {
    it(`is ${title}`, () => expect(agreedOn(said)).to.deep.equal(agreed));
  }
});

describe("provenStanding", () => {
  it("is another text with another secret, or another message", () => {
    const texts = [
      provenStanding("s", "free 7"),
      provenStanding("t", "free 7"),
      provenStanding("s", "free 8"),
    ];
    expect(new Set(texts).size).to.equal(3);
  });
});

describe("reachedBy", () => {
  const of = (who: string | undefined, fence: number) => ({
    ...{ who, fence, number: 0, label: undefined, value: undefined },
  });

  for (const [says, standings, who, fence] of [
    ["a quorum of those that name it", [of("a", 5), of("a", 9), of("a", 7)], "a", 7],
    ["a quorum counts silent nodes", [of("a", 5), of("a", 9), undefined], "a", 5],
    ["others do not count", [of("b", 5), of("a", 9), of("b", 8)], "a", 0],
    ["nobody has reached one, too", [of(undefined, 5), of(undefined, 9), of("a", 8)], undefined, 5],
  ] as const) {
    it(`is ${fence}: ${says}`, () => {
      expect(reachedBy(standings, who)).to.equal(fence);
    });
  }
});

describe("isUnsealed", () => {
  const holding = (who: string, fence: number): Holding => ({
    ...{ who, fence, number: 0, label: undefined, value: undefined },
  });

  for (const [title, agreed, last, reached, is] of [
    ["a token that nobody had", holding(B, 8), A, 7, false],
    ["the token of the holder before", holding(B, 7), A, 7, true],
    ["an older one", holding(B, 6), A, 7, true],
    ["its own, where it was away", holding(A, 7), A, 7, false],
    ["less than its own, where it was away", holding(A, 6), A, 7, true],
    ["the first that is seen", holding(B, 8), undefined, 0, false],
    ["none, where there are none", holding(B, 0), A, 0, false],
  ] as const) {
    it(`is ${is} for ${title}`, () => {
      expect(isUnsealed(agreed, last, reached)).to.equal(is);
    });
  }
});
