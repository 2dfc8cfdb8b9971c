import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { root } from "../docs/project.js";

type DeadLinksIn = (dir: string) => string[];

describe("the check of the site's links", () => {
  let dir: string;
  let deadLinksIn: DeadLinksIn;

  before(async () => {
    const file = pathToFileURL(join(root, "scripts", "check-links.mjs")).href;
    ({ deadLinksIn } = (await import(file)) as { deadLinksIn: DeadLinksIn });
    dir = mkdtempSync(join(tmpdir(), "quorate-links-"));
    mkdirSync(join(dir, "docs"));
    writeFileSync(join(dir, "plot.svg"), "<svg/>");
    writeFileSync(join(dir, "docs", "faq.html"), '<h1 id="why-not">Why not?</h1>');
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const deadOf = (link: string): string[] => {
    writeFileSync(join(dir, "docs", "index.html"), `<a id="here" href="${link}">it</a>`);
    return deadLinksIn(dir);
  };

  for (const link of [
    ...["faq.html", "./faq.html#why-not", "../docs/faq.html#why-not"],
    ...["#here", "#", "../plot.svg", "../plot.svg?v=1", "https://redis.io/docs", "mailto:a@b.c"],
  ]) {
    it(`finds nothing wrong with ${link}`, () => {
      expect(deadOf(link)).to.deep.equal([]);
    });
  }

  for (const link of [
    ...["faq.md", "no-such.html", "faq.html#because", "#nowhere", "/faq.html", "../plot.png"],
    // A folder has no first page on a disk, and the root is not that of the site.
    ...["/docs/faq.html", "../", "../docs/"],
  ]) {
    it(`finds that ${link} is dead`, () => {
      expect(deadOf(link)).to.deep.equal([`docs/index.html: ${link}`]);
    });
  }
});
