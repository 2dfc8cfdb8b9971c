import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { anchorsOf, linksOf } from "../docs/markdown.js";
import { root } from "../docs/project.js";

interface Item {
  readonly text: string;
  readonly link: string;
  readonly items?: readonly Item[];
}

interface Menu {
  readonly MENU: readonly { readonly text: string; readonly items: readonly Item[] }[];
}

interface Pages {
  readonly HOME: string;
  pagesOf(root: string): string[];
  sitePathOf(path: string): string;
  relinked(root: string, page: string, text: string): { text: string; files: string[] };
  anchorOf(heading: string): string;
}

interface Names {
  readonly importNames: (exports: object) => Map<string, string>;
}

/** Without building the site, which takes packages of its own. */
describe("the pages of the site", () => {
  const load = (name: string): Promise<object> =>
    import(pathToFileURL(join(root, "site", name)).href) as Promise<object>;
  let items: readonly Item[];
  let pages: Pages;

  before(async () => {
    pages = (await load("pages.mjs")) as Pages;
    const { MENU } = (await load("menu.mjs")) as Menu;
    const all = (some: readonly Item[]): Item[] =>
      some.flatMap((item) => [item, ...all(item.items ?? [])]);
    items = MENU.flatMap((group) => all(group.items));
  });

  it("stand in the menu, each once", () => {
    const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`);
    const links = items.map(({ link }) => link).filter((link) => !link.startsWith("/"));
    expect(new Set(links).size).to.equal(links.length);
    expect(links).to.include.members([...docs, "README.md"]);
    // The name of the site leads to the home page.
    expect([...links, pages.HOME]).to.have.members(pages.pagesOf(root));
    expect(pages.sitePathOf(pages.HOME)).to.equal("index.md");
    expect(new Set(items.map(({ text }) => text)).size).to.equal(items.length);
  });

  it("begin with one sentence, one picture, one block of code and three ways on", () => {
    const text = readFileSync(join(root, pages.HOME), "utf8");
    const parts = text
      .replaceAll(/^(```|<picture>)[^]*?^(?:```|<\/picture>)/gm, "$1")
      .split(/\n\n/);
    expect(parts.map((part) => part.trim().slice(0, 3))).to.deep.equal([
      ...["# Q", "A l", "<pi", "```", "- *"],
    ]);
    expect(parts[1]?.match(/[.!?](?=\s|$)/g)).to.have.length(1);
    expect(parts[4]?.match(/^- \*\*\[.+\]\(/gm)).to.have.length(3);
  });

  it("open the playground where they invite to it, and tell of it elsewhere", () => {
    const link = "[it](docs/internals/playground.md)";
    expect(pages.relinked(root, "README.md", link).text).to.equal("[it](./playground.html)");
    expect(pages.relinked(root, "CONTRIBUTING.md", link).text).to.equal(
      "[it](./docs/internals/playground.md)",
    );
    const home = readFileSync(join(root, pages.HOME), "utf8");
    expect(pages.relinked(root, pages.HOME, home).text).to.include("](./playground.html)");
  });

  it("link only to pages of the site and to files that it shows, by anchors that are there", () => {
    const all = pages.pagesOf(root);
    const shown = new Set([...all.map((page) => pages.sitePathOf(page)), "playground.html"]);
    const staged = new Map(
      all.map((page) => {
        const it = pages.relinked(root, page, readFileSync(join(root, page), "utf8"));
        for (const file of it.files) shown.add(pages.sitePathOf(file));
        return [page, it.text];
      }),
    );
    const anchors = new Map(
      all.map((page) => [pages.sitePathOf(page), anchorsOf(join(root, page))]),
    );
    let count = 0;
    for (const [page, text] of staged) {
      // What follows a `](` outside of code; the same number as before. And the sources of a picture.
      const prose = text.replaceAll(/^ *```[\s\S]*?^ *```|`[^`]*`/gm, "");
      const inMarkdown = [...prose.matchAll(/\]\(([^)\s]+)\)/g)];
      expect(inMarkdown, page).to.have.length(linksOf(join(root, page)).length);
      const links = [...inMarkdown, ...prose.matchAll(/ (?:src|srcset)="([^"]+)"/g)];
      for (const [, link = ""] of links) {
        if (/^[a-z]+:/.test(link)) continue;
        count++;
        const [path = "", anchor] = link.split("#");
        const here = pages.sitePathOf(page);
        const to = path === "" ? here : posix.join(posix.dirname(here), path);
        expect(shown.has(to), `${page}: ${link}`).to.equal(true);
        if (anchor !== undefined) expect(anchors.get(to), `${page}: ${link}`).to.include(anchor);
      }
    }
    expect(count).to.be.above(200);
  });

  it("have the anchors that their readers on GitHub know", () => {
    const page = join(root, "docs", "operate", "troubleshooting.md");
    const headings = [...readFileSync(page, "utf8").matchAll(/^##+ +(.+)$/gm)].map(
      ([, text = ""]) => text,
    );
    expect(headings.length).to.be.above(5);
    expect(anchorsOf(page)).to.include.members(headings.map((text) => pages.anchorOf(text)));
  });

  it("name each entry of the package by its import path", async () => {
    const { importNames } = (await load("import-names.mjs")) as Names;
    const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, { readonly types?: string }>>;
    };
    const names = importNames(exports);
    expect(names.get("")).to.equal("quorate");
    expect(names.get("fencing")).to.equal("quorate/fencing");
    for (const file of names.keys()) {
      expect(existsSync(join(root, "src", file, "index.ts")), file).to.equal(true);
    }
    const entries = Object.keys(exports).filter((entry) => exports[entry]?.types !== undefined);
    expect([...names.values()]).to.have.members(
      entries.map((entry) => entry.replace(/^\./, "quorate")),
    );
  });

  it("are refused with a link to what is not there", () => {
    for (const target of ["no-such-page.md", "../examples", "../../elsewhere.md"]) {
      const text = `see [this](${target})`;
      expect(() => pages.relinked(root, "docs/explain/faq.md", text)).to.throw(
        `docs/explain/faq.md links to ${target}`,
      );
    }
    // In code it is no link.
    const code = "`[this](no-such-page.md)`";
    expect(pages.relinked(root, "docs/explain/faq.md", code)).to.deep.equal({
      text: code,
      files: [],
    });
  });
});
