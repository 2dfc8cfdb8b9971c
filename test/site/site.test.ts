import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { chromiumPath } from "../chaos/chromium.js";
import { root } from "../docs/project.js";

/** Of each kind of page, one. */
const PAGES = [
  "index.html",
  "docs/reference/cli.html",
  "docs/explain/performance.html",
  "examples/request.ts.html",
  "playground.html",
  "campaign.html",
];

/** What axe finds is of one of four weights. */
interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

describe("the site", function () {
  // It is built once, without the pages of each export; browsers are slow to start on a busy machine.
  this.timeout(300_000);

  let dir = "";
  let out = "";
  before(() => {
    dir = mkdtempSync(join(tmpdir(), "quorate-site-"));
    out = join(dir, "moved", "here");
    const script = join(root, "scripts", "site.mjs");
    const { status, stderr } = spawnSync(process.execPath, [script, "--no-api", "--out", out], {
      encoding: "utf8",
    });
    expect(status, stderr).to.equal(0);
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const textOf = (file: string): string => readFileSync(join(out, file), "utf8");
  const filesOf = (end: string): string[] =>
    readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(end));

  /** The pages that people wrote. */
  const manual = (): string[] =>
    filesOf(".html").filter((name) => /^(?:index|README|docs\/.+)\.html$/.test(name));

  it("works below any path, and from the disk: no link begins at the root, no script is a module", () => {
    for (const file of filesOf(".html")) {
      // The playground and the report are one file each.
      const html = textOf(file);
      expect(html, file).to.not.match(/ (?:href|src)="\//);
      expect(html, file).to.not.match(/<script[^>]* (?:type="module"|src="[a-z]+:)/);
    }
  });

  it("has each page as Markdown beside it, and all of them in llms.txt", () => {
    const pages = filesOf(".html").filter((name) => !/^(?:playground|campaign)\.html$/.test(name));
    expect(pages.length).to.be.above(50);
    for (const page of pages) expect(existsSync(join(out, page.replace(/html$/, "md"))), page);
    const llms = textOf("llms.txt");
    expect(llms).to.match(/^# Quorate\n\n> .+\n\n## Start\n/);
    const links = [...llms.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link = ""]) => link);
    for (const link of links.filter((each) => !each.startsWith("api/"))) {
      expect(existsSync(join(out, link)), link).to.equal(true);
    }
    const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
    for (const name of docs.filter((each) => each.endsWith(".md"))) {
      expect(links).to.include(`docs/${name}`);
    }
  });

  const suite = chromiumPath === undefined ? describe.skip : describe;
  suite("in a browser, from the disk", () => {
    let browser: Browser;
    let page: Page;
    let complaints: string[] = [];
    const open = async (file: string): Promise<void> => {
      await page.goto(pathToFileURL(join(out, file)).href);
    };
    const opened = async (width: number, colorScheme: "dark" | "light"): Promise<void> => {
      page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
      page.on("console", (message) => {
        if (message.type() !== "log") complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
    };

    before(async () => {
      const { chromium } = await import("playwright-core");
      browser = await chromium.launch({
        ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
        // Its sandbox does not work for root, nor in most containers.
        args: ["--no-sandbox", "--disable-dev-shm-usage"],
      });
    });
    after(() => browser?.close());
    beforeEach(() => {
      complaints = [];
    });
    afterEach(async () => {
      await page.close();
      expect(complaints, "what the pages complain of").to.deep.equal([]);
    });

    const axe = readFileSync(join(root, "node_modules", "axe-core", "axe.min.js"), "utf8");
    for (const [width, scheme, isEachPage] of [
      [360, "light", true],
      [1_280, "dark", false],
    ] as const) {
      it(`fits into ${width} px, and keeps nobody out, ${scheme}`, async () => {
        await opened(width, scheme);
        for (const file of isEachPage ? new Set([...PAGES, ...manual()]) : PAGES) {
          await open(file);
          const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
          expect(over, file).to.be.at.most(0);
          await page.evaluate(axe);
          // Style sheets of the disk cannot be fetched by scripts.
          const { violations } = (await page.evaluate(
            "axe.run({ preload: false, resultTypes: ['violations'] })",
          )) as Found;
          const bad = violations
            .filter(({ impact }) => impact === "serious" || impact === "critical")
            .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
          expect(bad, file).to.deep.equal([]);
        }
      });
    }

    it("cuts off no line of code at 1,280 px", async () => {
      await opened(1_280, "light");
      expect(manual().length).to.be.above(50);
      for (const file of manual()) {
        await open(file);
        const cut = await page.evaluate<string[]>(
          "[...document.querySelectorAll('pre')].filter((pre) => pre.scrollWidth > pre.clientWidth).map((pre) => pre.textContent)",
        );
        expect(cut, file).to.deep.equal([]);
      }
    });

    it("has a way back from the pages that are one file, and an icon on each", async () => {
      await opened(1_280, "light");
      for (const file of PAGES) {
        await open(file);
        const icon = page.locator("link[rel=icon]");
        expect(await icon.getAttribute("href"), file).to.match(/^data:image\/svg/);
        await page.getByRole("link", { name: "Quorate", exact: true }).first().click();
        await page.waitForURL(/\/index\.html$/);
      }
    });

    it("is searched by keyboard", async () => {
      await opened(1_280, "light");
      await open("docs/start/choosing.html");
      await page.keyboard.press("/");
      await page.keyboard.type("quarantine");
      await page.locator("#found a").first().waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForURL(/#.*quarantine/);
      expect(await page.locator("h1").count()).to.equal(1);
    });

    it("keeps the colours that a reader has chosen, from page to page", async () => {
      await opened(1_280, "light");
      await open("index.html");
      await page.getByRole("button", { name: "Dark colours" }).click();
      await open("docs/reference/api.html");
      expect(await page.evaluate("document.documentElement.dataset.theme")).to.equal("dark");
    });

    it("has its menu behind a button on a phone", async () => {
      await opened(360, "light");
      await open("docs/reference/api.html");
      const link = page.getByRole("link", { name: "Guarantees", exact: true }).first();
      expect(await link.isVisible()).to.equal(false);
      await page.locator(".menu summary").focus();
      await page.keyboard.press("Enter");
      expect(await link.isVisible()).to.equal(true);
    });
  });
});
