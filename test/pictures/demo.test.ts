import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Recorded } from "../../examples/demo/view/recording.js";
import { demoInWords, demoPicture, readRecording } from "../../pictures/demo.js";
import { root } from "../docs/project.js";

const shownIn = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, words = ""]) => words);

describe("the terminal of the demo", () => {
  const recorded = readRecording();
  const svg = demoPicture(recorded);

  it("is a recording of all its scenes, to the end", () => {
    expect(recorded.scenes).to.have.length(5);
    const words = shownIn(svg).join("\n");
    for (const title of recorded.scenes) expect(words).to.include(title.slice(0, 60));
    expect(words).to.include("the store refuses token");
  });

  it("is small, loads nothing, and is dark where its page is", () => {
    expect(Buffer.byteLength(svg)).to.be.below(60_000);
    expect(svg).to.not.match(/<script|@import|url\(|href="[^#]|NaN|undefined/);
    expect(svg).to.include("prefers-color-scheme:dark");
  });

  it("moves, and stands at its end for readers who prefer that", () => {
    const [still = "", motion = ""] = svg.split("@media (prefers-reduced-motion:no-preference)");
    expect(still).to.not.include("animation");
    expect(still).to.match(/\.film\{transform:translateX\(-\d+px\)\}/);
    expect(motion).to.include("animation:film");
    // Every frame is on the film, and has its time.
    const frames = svg.match(/<g transform="translate\(\d+\)">/g)?.length ?? 0;
    const steps = motion.match(/[\d.]+%\{transform:translateX/g)?.length ?? 0;
    expect(frames).to.be.above(15);
    expect(steps).to.equal(frames + 1);
  });

  it("stands in the README, with what it shows as alt text", () => {
    const readme = readFileSync(join(root, "README.md"), "utf8");
    expect(readme).to.include(`![${demoInWords(recorded)}](docs/pictures/demo.svg)`);
  });

  it("shows what was recorded: bars as long as they were, text in its column", () => {
    const given: Recorded = {
      scenes: ["One."],
      lines: [[["  name", "bold"], ["████", "cyan"], ["░░", "dim"], ["  1.0 s"]], []],
      frames: [
        { atMs: 0, lines: [1, 0] },
        { atMs: 200, lines: [1] },
        { atMs: 1_500, lines: [0] },
      ],
    };
    const drawn = demoPicture(given);
    expect(shownIn(drawn)).to.deep.equal(["$ npm run demo", "name", "1.0 s"]);
    expect(drawn).to.include('class="bold" x="28.6"');
    expect(drawn).to.include('<rect class="a solid" x="57.8" y="4" width="29.2" height="11"/>');
    // The second frame comes too soon after the first.
    expect(drawn.match(/<g transform="translate/g)).to.have.length(2);
    expect(drawn).to.include("0%{transform:translateX(0px)}").and.to.include("100%{");
  });
});
