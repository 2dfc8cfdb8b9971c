import { expect } from "chai";
import { parseArguments } from "../../chaos/arguments.js";

const parse = (text: string): ReturnType<typeof parseArguments> => parseArguments(text.split(" "));

describe("The arguments of a campaign", () => {
  it("make one campaign of each seed, alike but for their seeds and pages", () => {
    const { orders } = parse("--seed 3,1,2 --minutes 2 --clients 4");
    expect(orders.map(({ settings }) => settings.seed)).to.deep.equal([3, 1, 2]);
    expect(new Set(orders.map(({ report }) => report)).size).to.equal(3);
    const [first, ...others] = orders.map(({ settings }) => ({ ...settings, seed: 0 }));
    for (const other of others) expect(other).to.deep.equal(first);
  });

  for (const [text, said] of [
    ["--seed 1,x", /--seed must be an integer/],
    ["--seed 1,2 --report a.html", /--report/],
    ["--seed 1,2 --again a.ndjson", /--again/],
    ["--minutes 0", /--minutes/],
    ["--clients 65", /--clients/],
    ["--profile inside", /--profile/],
    ["--faults stopAfterCheck", /--faults/],
    ["--plant no-such-bug", /--plant/],
  ] as const) {
    it(`do not make sense as ${text}`, () => {
      expect(() => parse(text)).to.throw(said);
    });
  }
});
