import { expect } from "chai";
import { array, assert, double, property, string } from "fast-check";
import { barPlot } from "../../bench/plots/bar-plot.js";
import { sampleOf } from "../../bench/contended/sample.js";
import { plotsOf } from "../../bench/plots/index.js";
import type { Results } from "../../bench/results.js";
import { linePlot } from "../../bench/plots/line-plot.js";
import { linearScale, logScale, placeScale, type Scale } from "../../bench/plots/scale.js";
import { text } from "../../pictures/svg.js";

const EXTENT = { from: 300, to: 20 };
const point = (x: number, y: number) => ({ x, y, min: y / 2, max: y * 2 });

describe("plots", () => {
  for (const [name, scale] of Object.entries({ linearScale, logScale })) {
    it(`has all values within the extent, in order: ${name}`, () => {
      const positive = double({ min: 1e-3, max: 1e6, noNaN: true });
      assert(
        property(array(positive, { minLength: 1 }), (values) => {
          const { at, ticks }: Scale = scale(values, EXTENT);
          const places = values.toSorted((a, b) => a - b).map((value) => at(value));
          for (const place of places) expect(place).to.be.within(20 - 1e-6, 300 + 1e-6);
          expect(places).to.deep.equal(places.toSorted((a, b) => b - a));
          expect(ticks.length).to.be.within(2, 12);
          expect(at(ticks.at(-1) ?? 0)).to.be.closeTo(20, 1e-6);
        }),
      );
    });
  }

  it("gives each place the same room", () => {
    const { at } = placeScale([1, 8, 512], { from: 0, to: 300 });
    expect([1, 8, 512].map((value) => at(value))).to.deep.equal([50, 150, 250]);
  });

  it("never lets a text become markup", () => {
    assert(
      property(string(), (content) => {
        const inner = text(content, 0, 0).replace(/^<text x="0" y="0">|<\/text>$/g, "");
        expect(inner).to.not.match(/[<>"]|&(?!amp;|lt;|gt;|quot;)/);
      }),
    );
    expect(text('a<b&"c"', 0, 0)).to.include("a&lt;b&amp;&quot;c&quot;");
  });

  it("draws a line a subject, with a dot a point", () => {
    const lines = [
      { name: "ours", points: [point(1, 10), point(64, 200)] },
      { name: "theirs", points: [point(1, 5)] },
    ];
    const svg = linePlot({ title: "t", xTitle: "x", yTitle: "y", isLog: true, lines });
    expect(svg.match(/<polyline /g)).to.have.length(2);
    expect(svg.match(/<circle /g)).to.have.length(3);
    for (const word of ["ours", "theirs", ">64<", "<title>t</title>"]) expect(svg).to.include(word);
    expect(svg).to.not.include("NaN");
  });

  it("draws the hand-overs of a shape of contention once every section is measured", () => {
    const answers = [{ counts: [10], waitsMs: [1], openWaitsMs: [], cpuUs: 1_000 }];
    const sample = sampleOf(answers, 1_000, { callsPerNode: 1, cpuUs: 1 });
    const filesOf = (sections: readonly number[]): string[] => {
      const series = sections.map((sectionMs) => {
        const contention = { processCount: 4, workerCount: 4, sectionMs };
        return { contention, subjectName: "quorate", samples: [sample] };
      });
      return plotsOf({ contended: { series } } as unknown as Results).map(({ file }) => file);
    };
    expect(filesOf([0, 1])).to.deep.equal([]);
    expect(filesOf([0, 1, 10])).to.deep.equal(["hand-overs-4x4.svg"]);
  });

  it("draws a bar a value, longer for more", () => {
    const [one, two] = [1, 2].map((median) => ({ median, min: median, max: median }));
    const svg = barPlot({
      title: "t",
      valueTitle: "ms",
      names: ["healthy", "outage"],
      groups: [{ name: "frozen", values: [one!, two!] }],
    });
    const widths = [
      ...svg.matchAll(/width="([\d.]+)" height="[\d.]+" class="series-[01] solid"/g),
    ].map(([, width]) => Number(width));
    // Two bars, and after them the two marks of the legend.
    expect(widths.slice(0, 2)[1]).to.be.closeTo(2 * (widths[0] ?? 0), 0.1);
    expect(widths).to.have.length(4);
  });

  it("draws the floor as a line across all groups, which no bar is below", () => {
    const values = [{ median: 2, min: 1, max: 4 }];
    const plot = { title: "t", valueTitle: "times", names: ["ours"] };
    const groups = ["one", "five"].map((name) => ({ name, values }));
    const withFloor = barPlot({ ...plot, groups, floor: { name: "floor: sockets", value: 1 } });
    expect(withFloor).to.include(">floor: sockets<");
    const [, at = ""] = /<line x1="([\d.]+)"[^>]*stroke-dasharray/.exec(withFloor) ?? [];
    const bars = [...withFloor.matchAll(/<rect x="([\d.]+)"[^>]* width="([\d.]+)"/g)].map(
      ([, x, width]) => [Number(x), Number(width)] as const,
    );
    const bar = bars.find(([x]) => x > 12);
    // Half of a bar of twice the floor.
    expect(Number(at)).to.be.closeTo((bar?.[0] ?? 0) + (bar?.[1] ?? 0) / 2, 0.1);
    expect(barPlot({ ...plot, groups })).to.not.include("dasharray");
  });

  it("cuts off no label below the axis", () => {
    const values = [{ median: 7_900, min: 7_900, max: 7_900 }];
    const svg = barPlot({
      title: "t",
      valueTitle: "n",
      names: ["a"],
      groups: [{ name: "b", values }],
    });
    const labels = [...svg.matchAll(/<text ([^>]*text-anchor="middle"[^>]*)>([^<]*)/g)];
    expect(labels.length).to.be.above(4);
    for (const [, attributes = "", shown = ""] of labels) {
      const x = Number(/x="([\d.]+)"/.exec(attributes)?.[1]);
      expect(x + (shown.length * 6.2) / 2, shown).to.be.below(420);
    }
  });

  it("has all of it inside, also many names and a long title", () => {
    const names = Array.from({ length: 9 }, (_, index) => `a name of usual length ${index}`);
    const lines = names.map((name) => ({ name, points: [point(1, 10), point(64, 200)] }));
    const title = "Time to wait for a lock, 2 x 8 workers, 1 ms section, and more";
    const svg = linePlot({ title, xTitle: "x", yTitle: "y", isLog: true, lines });
    const [, width, height] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).map(Number);
    // As wide as a phone: the text is not shrunk there.
    expect(width).to.be.at.most(420);
    for (const [, attributes = "", shown = ""] of svg.matchAll(/<text ([^>]*)>([^<]*)/g)) {
      const {
        x,
        y,
        size = "12.5",
      } = Object.fromEntries(
        [...attributes.matchAll(/(x|y|size)="([\d.]+)"/g)].map(([, key, value]) => [key, value]),
      );
      expect(Number(y), shown).to.be.below(height ?? 0);
      // A character is about 0.55 as wide as high. What is anchored elsewhere extends less to the right.
      if (attributes.includes("text-anchor")) continue;
      expect(Number(x) + shown.length * 0.55 * Number(size), shown).to.be.below(width ?? 0);
    }
    for (const name of names) expect(svg).to.include(`>${name}<`);
  });
});
