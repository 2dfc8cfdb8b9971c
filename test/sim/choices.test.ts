import { expect } from "chai";
import {
  exhaustiveChoices,
  recordedChoices,
  replayedChoices,
  seededChoices,
  type RecordedChoice,
} from "../../sim/choices.js";

describe("choices", () => {
  it("are made by name: others do not change them", () => {
    const alone = seededChoices(3).pick(1_000, "b");
    const choices = seededChoices(3);
    choices.pick(1_000, "a");
    expect(choices.pick(1_000, "b")).to.equal(alone);
    expect(seededChoices(4).pick(1_000, "b")).to.not.equal(alone);
  });

  it("are made again from a record", () => {
    const log: RecordedChoice[] = [];
    const recorded = recordedChoices(seededChoices(1), log);
    const made = ["a", "b", "c"].map((name) => recorded.pick(100, name));
    const replayed = replayedChoices(log);
    expect(["a", "b", "c"].map((name) => replayed.pick(100, name))).to.deep.equal(made);
  });

  for (const [title, ask] of [
    ["another name", ["x", 100]],
    ["another range", ["a", 99]],
  ] as const) {
    it(`notice that a replay asks for ${title}`, () => {
      const replayed = replayedChoices([{ name: "a", count: 100, picked: 1 }]);
      expect(() => replayed.pick(ask[1], ask[0])).to.throw("choice 0");
    });
  }

  it("enumerate every sequence, also where one decision depends on another", () => {
    const choices = exhaustiveChoices(3);
    const seen: number[][] = [];
    do {
      const first = choices.pick(2, "first");
      seen.push(first === 0 ? [first] : [first, choices.pick(3, "second")]);
    } while (choices.next());
    expect(seen).to.deep.equal([[0], [1, 0], [1, 1], [1, 2]]);
  });

  it("spread a narrow enumeration over a wide range, and leave closed decisions alone", () => {
    const choices = exhaustiveChoices(2, (name) => name === "open");
    const seen: number[][] = [];
    do seen.push([choices.pick(100, "closed"), choices.pick(100, "open")]);
    while (choices.next());
    expect(seen).to.deep.equal([
      [0, 0],
      [0, 50],
    ]);
  });
});
