import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { expect } from "chai";
import { charts, pictures, type Picture } from "../../pictures/index.js";
import { BANNED } from "../docs/banned-words.js";
import { pages, root } from "../docs/project.js";

interface Box {
  readonly words: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Fonts differ: some are wider than those that the pictures were made with. */
const WIDEST_CHARACTER = 0.6;

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/** Where each text of a drawing stands, about. */
function textsOf(svg: string): (Box & { readonly size: number })[] {
  return [...svg.matchAll(/<text ([^>]*)>([^<]*)</g)].map(([, list = "", content = ""]) => {
    const attributes = new Map([...list.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, k, v]) => [k, v]));
    const number = (name: string, otherwise = Number.NaN): number =>
      Number(attributes.get(name) ?? otherwise);
    const words = content.replaceAll(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? "?");
    const size = number("font-size", 12);
    const width = words.length * size * WIDEST_CHARACTER;
    const anchored = { end: 1, middle: 0.5 }[attributes.get("text-anchor") ?? ""] ?? 0;
    const left = number("x") - anchored * width;
    const y = number("y");
    return { words, size, left, right: left + width, top: y - 0.75 * size, bottom: y + 0.2 * size };
  });
}

function overlaps(boxes: readonly Box[]): string[] {
  return boxes.flatMap((one, at) =>
    boxes
      .slice(at + 1)
      .filter((other) => {
        const isBeside = one.right <= other.left || other.right <= one.left;
        return !isBeside && one.bottom > other.top && other.bottom > one.top;
      })
      .map((other) => `${one.words} / ${other.words}`),
  );
}

/** Every image that a page shows: its file in the repository, and its alt text. */
const shown = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  const inMarkdown = [...text.matchAll(/!\[(?<alt>[^\]]*)\]\((?<target>[^)\s]+)\)/g)];
  const inHtml = [...text.matchAll(/<img src="(?<target>[^"]+)" alt="(?<alt>[^"]*)">/g)];
  return [...inMarkdown, ...inHtml].map(({ groups = {} }) => {
    const { alt, target = "" } = groups;
    return { page, alt, file: posix.join(dirname(page), target) };
  });
});

describe("the pictures", function () {
  this.timeout(60_000);

  let all: readonly Picture[] = [];
  before(async () => {
    all = await pictures();
  });

  it("are those in the repository, and no others are there: npm run pictures", () => {
    const drawn = [...all, ...charts()];
    for (const { file, svg } of drawn) {
      expect(readFileSync(join(root, file), "utf8") === svg, file).to.equal(true);
      expect(svg, file).to.include("prefers-color-scheme:dark");
    }
    const files = ["docs/pictures", "site/home", "bench/results"].flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((name) => name.endsWith(".svg"))
        .map((name) => posix.join(folder, name)),
    );
    expect(files).to.have.members(drawn.map(({ file }) => file));
  });

  it("stand in a page, with what they say as alt text", () => {
    // The wide ones take the place of another where there is room.
    for (const { file, alt } of all.filter(({ file: path }) => !path.includes("-wide"))) {
      const places = shown.filter((image) => image.file === file);
      expect(places, file).to.have.length(1);
      expect(places[0]?.alt, file).to.equal(alt);
      expect(alt.length, file).to.be.within(60, 600);
    }
  });

  it("have no word over another, nor over the edge, and none too small for a phone", () => {
    for (const { file, svg } of all) {
      const [, width, height] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).map(Number);
      const texts = textsOf(svg);
      expect(texts.length, file).to.be.above(5);
      expect(overlaps(texts), file).to.deep.equal([]);
      for (const { words, left, right, bottom, size } of texts) {
        expect(left, `${file}: ${words}`).to.be.at.least(8);
        expect(right, `${file}: ${words}`).to.be.at.most((width ?? 0) - 4);
        expect(bottom, `${file}: ${words}`).to.be.at.most((height ?? 0) - 6);
        expect(size, `${file}: ${words}`).to.be.at.least(10.5);
      }
      // An image in a page of GitHub: nothing is loaded, nothing runs.
      expect(svg, file).to.not.match(/<script|@import|url\(|href|NaN|undefined/);
    }
  });

  it("are in plain English, as the pages are", () => {
    for (const { file, svg } of all) {
      const words = textsOf(svg).map((text) => text.words);
      for (const [banned] of BANNED) expect(words.join(" "), file).to.not.match(banned);
    }
  });

  it("would be found out if a word stood over another", () => {
    const svg = '<text x="10" y="20">holds</text><text x="30" y="26">waits</text>';
    expect(overlaps(textsOf(svg))).to.deep.equal(["holds / waits"]);
    const apart = '<text x="10" y="20">holds</text><text x="30" y="40">waits</text>';
    expect(overlaps(textsOf(apart))).to.deep.equal([]);
  });

  it("of the home page do not move for readers who prefer that, whatever images are told of it", () => {
    const home = readFileSync(join(root, "site", "home", "index.md"), "utf8");
    const sources = [...home.matchAll(/<source media="([^"]+)" srcset="([^"]+)">/g)];
    const moves = sources.map(([, media = "", file = ""]) => ({
      isForAll: !media.includes("prefers-reduced-motion: reduce"),
      isMoving: all.some(({ file: path, svg }) => {
        return path === posix.join("site/home", file) && svg.includes("animation");
      }),
    }));
    // A browser takes the first that fits.
    expect(moves).to.deep.equal([
      { isForAll: false, isMoving: false },
      { isForAll: false, isMoving: false },
      { isForAll: true, isMoving: true },
    ]);
  });

  it("that move stand still, with all there is to see, for readers who prefer that", () => {
    const moving = all.filter(({ svg }) => svg.includes("animation"));
    expect(moving.length).to.be.above(0);
    for (const { svg } of moving) {
      const [still = "", motion = ""] = svg.split("@media (prefers-reduced-motion:no-preference)");
      expect(still).to.not.include("animation");
      expect(still).to.include(".future,.now{display:none}");
      expect(motion).to.include("animation");
    }
  });
});
