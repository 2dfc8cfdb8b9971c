import { expect } from "chai";
import { aligned, format, inWords, seriesTable } from "../../bench/text/table.js";

describe("bench tables", () => {
  it("write numbers with the digits that are asked for, and none where there is none", () => {
    expect(format(12_345.678, 1)).to.equal("12,345.7");
    expect(format(Number.NaN, 1)).to.equal("-");
    expect(inWords([3, 1, 2], 0)).to.equal("2 (1 to 3)");
    expect(inWords([1.01, 1.02], 1)).to.equal("1.0");
  });

  it("align columns", () => {
    expect(
      aligned([
        ["a", "long"],
        ["longer", ""],
      ]).split("\n"),
    ).to.deep.equal(["| a      | long |", "| ------ | ---- |", "| longer |      |"]);
  });

  it("show the median and range of every figure of a series", () => {
    const columns = [{ title: "n", digits: 0, of: (one: { n: number }) => one.n }];
    const rows = [{ titles: ["x"], samples: [{ n: 1 }, { n: 5 }, { n: 3 }] }];
    expect(seriesTable(["name"], columns, rows)).to.match(/\| x +\| 3 \(1 to 5\) \|$/);
  });
});
