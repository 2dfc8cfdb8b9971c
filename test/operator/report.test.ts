import { expect } from "chai";
import { fingerprintOf } from "../../src/operator/fingerprint.js";
import { reportOf } from "../../src/operator/report.js";
import type { NameSnapshot, Vote } from "../../src/protocol/operation.js";
import { KEYS } from "../support/coordinator-bench.js";
import { fault, foreign } from "../support/votes.js";

const owner = (letter: string, label = ""): string => letter.padEnd(22, "_") + label;
const seen = (more: Partial<NameSnapshot> = {}): Vote => {
  const nothing = { holder: undefined, remainingMs: 0, fence: undefined, waitingCount: 0 };
  return { kind: "granted", fence: 0, snapshot: { ...nothing, coHolders: [], ...more } };
};
const held = (letter: string, remainingMs = 500, fence = 7): Vote =>
  seen({ holder: owner(letter), remainingMs, fence });
const turn = (): Vote => seen({ holder: "turn:inbox", remainingMs: 20 });
const read = (...letters: string[]): Vote => {
  const coHolders = letters.map((letter) => ({ text: owner(letter), remainingMs: 500 }));
  return seen({ holder: "shared:", remainingMs: 500, coHolders });
};

const reportFor = (votes: readonly Vote[], marginMs = 0) =>
  reportOf(
    KEYS,
    votes.map((_, index) => `node${index}`),
    votes,
    marginMs,
  );

describe("a report on a lock", () => {
  for (const { title, votes, state, quorate } of [
    { title: "nobody has it", votes: [seen(), seen(), seen()], state: "free", quorate: "" },
    { title: "a quorum is free", votes: [seen(), seen(), fault()], state: "free", quorate: "" },
    { title: "it is kept for one who waits", votes: [turn(), turn()], state: "free", quorate: "" },
    { title: "all agree", votes: [held("a"), held("a"), held("a")], state: "held", quorate: "a" },
    {
      title: "a quorum agrees",
      votes: [held("a"), held("a"), fault()],
      state: "held",
      quorate: "a",
    },
    {
      title: "one is left behind",
      votes: [held("b"), held("a"), held("a")],
      state: "held",
      quorate: "a",
    },
    { title: "only one is left", votes: [held("a"), seen(), seen()], state: "free", quorate: "" },
    {
      title: "half of them agree",
      votes: [held("a"), held("a"), seen(), seen()],
      state: "undecided",
      quorate: "",
    },
    { title: "they are split", votes: [held("a"), held("b")], state: "undecided", quorate: "" },
    {
      title: "too few answer",
      votes: [held("a"), fault(), fault()],
      state: "undecided",
      quorate: "",
    },
    {
      title: "it is data",
      votes: [foreign(), foreign(), foreign()],
      state: "undecided",
      quorate: "",
    },
    {
      title: "readers share it",
      votes: [read("a", "b"), read("b", "a"), read("a")],
      state: "held",
      quorate: "a b",
    },
    {
      title: "no reader has a quorum",
      votes: [read("a"), read("b"), read("c")],
      state: "undecided",
      quorate: "",
    },
  ] as const) {
    it(`is ${state} where ${title}`, () => {
      const report = reportFor(votes);
      expect(report.state).to.equal(state);
      expect(report.isQuorate).to.equal(state !== "undecided");
      const held = report.holders.filter(({ isQuorate }) => isQuorate);
      expect(held.map(({ fingerprint }) => fingerprint)).to.have.members(
        quorate.split(" ").flatMap((letter) => (letter === "" ? [] : fingerprintOf(owner(letter)))),
      );
      expect(JSON.parse(JSON.stringify(report))).to.deep.equal(report);
    });
  }

  it("tells for how long a quorum keeps it, whatever single nodes do", () => {
    const report = reportFor([held("a", 900), held("a", 100), held("a", 400)]);
    expect(report.holders[0]?.remainingMs).to.equal(400);
    expect(reportFor([held("a", 900), seen(), fault()]).holders[0]?.remainingMs).to.equal(900);
  });

  for (const { title, fences, token } of [
    { title: "all have the same", fences: [7, 7, 7], token: 7 },
    { title: "a quorum has the same", fences: [7, 9, 7], token: 7 },
    { title: "all are apart", fences: [7, 8, 9], token: undefined },
    { title: "too few have one", fences: [7, undefined, undefined], token: undefined },
  ]) {
    it(`knows the last token as ${token} where ${title}`, () => {
      const report = reportFor(fences.map((fence) => seen({ fence })));
      expect(report.fencingToken).to.equal(token);
    });
  }

  it("says node by node what was seen, and why nothing was", () => {
    const { nodes } = reportFor([held("a"), seen({ waitingCount: 2 }), turn(), foreign(), fault()]);
    expect(nodes.map(({ state }) => state)).to.deep.equal([
      ...["held", "free", "turn", "foreign", "unanswered"],
    ]);
    expect(nodes[1]).to.include({ node: "node1", waitingCount: 2 });
    expect(nodes[3]?.message).to.equal("list");
    expect(nodes[4]?.message).to.equal("the test says server");
  });
});

describe("the name of an owner for people", () => {
  it("is a fingerprint that says nothing of it, and differs", () => {
    const fingerprints = ["a", "b", "ab"].map((letter) => fingerprintOf(owner(letter)));
    expect(new Set(fingerprints).size).to.equal(3);
    for (const fingerprint of fingerprints) expect(fingerprint).to.match(/^[0-9a-f]{8}$/);
  });
});

it("a report counts those who wait by the longest queue", () => {
  const waiting = [1, 3, 0].map((waitingCount) => seen({ waitingCount }));
  expect(reportFor(waiting).waitingCount).to.equal(3);
  expect(reportFor([...waiting.slice(0, 2), fault()]).waitingCount).to.equal(3);
});
