import { readFileSync } from "node:fs";
import { expect } from "chai";
import { parseArguments } from "../../chaos/arguments.js";
import { patchedText, PLANTS } from "../../chaos/plants/table.js";
import type { Plant } from "../../chaos/settings.js";

const SRC = new URL("../../src/", import.meta.url);

describe("The planted bugs of campaigns", () => {
  for (const [plant, { schedule, patches }] of Object.entries(PLANTS)) {
    it(`fit the library: ${plant}`, () => {
      for (const { file, replace } of patches) {
        const text = readFileSync(new URL(file, SRC), "utf8");
        expect(patchedText(plant as Plant, file, text))
          .to.include(replace)
          .and.not.equal(text);
      }
    });

    it(`come with the schedule that finds them: ${plant}`, () => {
      const [{ settings }] = parseArguments(["--plant", plant]).orders;
      expect(settings).to.include({ plant, schedule });
    });
  }

  it("are refused where they do not fit any more", () => {
    const file = "channel/pending-releases.js";
    expect(() => patchedText("release-to-reachable", file, "")).to.throw(/found 0 times/);
    expect(patchedText("release-to-reachable", "index.js", "as it is")).to.equal("as it is");
  });
});
