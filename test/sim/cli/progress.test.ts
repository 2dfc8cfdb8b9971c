import { expect } from "chai";
import { exploringLine } from "../../../sim/cli/exploring-line.js";
import { LiveLine } from "../../../sim/cli/live-line.js";
import { barLine, countsLine } from "../../../sim/cli/progress-line.js";
import { Progress } from "../../../sim/cli/progress.js";
import { emptyTally, type Tally } from "../../../sim/cli/tally.js";

const view = (doneCount: number) => ({ doneCount, totalCount: 100, failedCount: 3, seconds: 6 });

describe("the line of a campaign", () => {
  it("counts scenarios, their rate and failures", () => {
    expect(countsLine(view(50))).to.equal("50/100 scenarios  500 a minute  3 failed");
    expect(countsLine({ ...view(0), seconds: 0 })).to.equal(
      "0/100 scenarios  0 a minute  3 failed",
    );
  });

  for (const [done, full] of [
    [0, 0],
    [4, 0],
    [5, 1],
    [50, 12],
    [99, 23],
    [100, 24],
  ] as const) {
    it(`has ${full} of 24 blocks after ${done} %`, () => {
      const [bar = "", ...rest] = barLine(view(done), 120).split(" ");
      expect(bar).to.equal("█".repeat(full) + "░".repeat(24 - full));
      expect(rest.join(" ")).to.equal(countsLine(view(done)));
    });
  }

  it("fits in a row of the terminal", () => {
    for (const columns of [0, 1, 10, 40, 200]) {
      expect(barLine(view(50), columns).length).to.be.at.most(Math.max(0, columns - 1));
    }
  });
});

describe("the line of an exhaustive search", () => {
  const counts = { stateCount: 40_000, stepCount: 90_000, grantCount: 700, depth: 21 };

  it("counts states, and fits in a row", () => {
    expect(exploringLine("a node forgets", counts, 3.4, 120)).to.equal(
      "a node forgets: 40000 states, 700 grants judged, 21 deep, 3 s",
    );
    expect(exploringLine("a node forgets", counts, 3.4, 20)).to.equal("a node forgets: 400");
  });

  it("is whole where there is no row to fit in", () => {
    const out = { columns: 20, write: () => {} };
    const { columns } = new LiveLine(out);
    expect(exploringLine("a node forgets", counts, 3.4, columns)).to.match(/, 3 s$/);
    expect(new LiveLine({ ...out, isTTY: true }).columns).to.equal(20);
    expect(new LiveLine({ ...out, isTTY: true, columns: 0 }).columns, "not told").to.equal(80);
  });
});

describe("the progress of a campaign", () => {
  const tally = (runCount: number): Tally => ({ ...emptyTally(), runCount });

  function drawn(isTTY: boolean, ...runCounts: number[]): string[] {
    const written: string[] = [];
    const out = { isTTY, columns: 100, write: (text: string) => written.push(text) };
    const progress = new Progress(200, out);
    for (const runCount of runCounts) progress.draw(tally(runCount));
    progress.clear();
    return written;
  }

  it("is drawn over itself on a terminal, and cleared at the end", () => {
    const written = drawn(true, 20, 21);
    expect(written).to.have.length(3);
    for (const text of written) {
      expect(text.startsWith("\r") && text.endsWith("\u001B[K"), text).to.equal(true);
      expect(text).to.not.contain("\n");
    }
    expect(written[1]).to.contain(" 21/200 scenarios ");
    expect(written[2]).to.equal("\r\u001B[K");
  });

  it("names each failure once, as soon as it is found, above the bar", () => {
    const found = [3, 4].map((seed) => ({
      profile: "swarm",
      seed,
      first: { id: "S1" as const, atUs: 5, message: "both hold a" },
    }));
    const written: string[] = [];
    const out = { isTTY: true, columns: 100, write: (text: string) => written.push(text) };
    const progress = new Progress(200, out);
    for (const failures of [[], found.slice(0, 1), found.slice(0, 1), found]) {
      progress.draw({ ...tally(20), failures });
    }
    const lines = written.filter((text) => text.endsWith("\n"));
    expect(lines).to.deep.equal(
      [3, 4].map((seed) => `S1 violated by swarm seed ${seed}: both hold a\n`),
    );
    expect(written.indexOf(lines[0] as string), "cleared before").to.equal(2);
    expect(written[1]).to.equal("\r\u001B[K");
  });

  it("is a line for each tenth elsewhere", () => {
    const all = Array.from({ length: 200 }, (_, index) => index + 1);
    const written = drawn(false, ...all);
    expect(written.map((text) => Number.parseInt(text, 10))).to.deep.equal(
      Array.from({ length: 10 }, (_, index) => 20 * (index + 1)),
    );
    for (const text of written) expect(text).to.match(/^\d+\/200 scenarios [^\r]*\n$/);
  });
});
