import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { collect } from "../../chaos/report/collect.js";
import { renderPage } from "../../chaos/report/render.js";
import { figuresOf } from "../../chaos/verdict/figures.js";
import { SHARED_ORACLES, verdictOf } from "../../chaos/verdict/verdict.js";
import { root } from "../docs/project.js";
import { chromiumPath } from "./chromium.js";
import { sampleHistory } from "./sample-history.js";

/** Length of the sample. */
const WHOLE_MS = 12_000;

const suite = chromiumPath === undefined ? describe.skip : describe;
const why = chromiumPath === undefined ? " (skipped: no Chromium on PATH)" : "";

suite(`The page of a campaign, in a browser${why}`, function () {
  // Browsers are slow to start on a busy machine.
  this.timeout(180_000);

  let dir = "";
  let browser: Browser;
  let page: Page;
  let url = "";
  let complaints: string[] = [];
  let requests: string[] = [];

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "quorate-page-"));
    const { chromium } = await import("playwright-core");
    browser = await chromium.launch({
      ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
      // Its sandbox does not work for root, nor in most containers.
      args: ["--no-sandbox", "--disable-dev-shm-usage"],
    });
  });
  before(() => open());
  after(async () => {
    await browser?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  async function open(options: { isSafe?: boolean; isPhone?: boolean } = {}): Promise<void> {
    const { settings, records } = sampleHistory(options);
    const verdict = verdictOf(records, settings);
    const data = collect(records, settings, figuresOf(records, settings), verdict);
    const file = join(dir, "page.html");
    writeFileSync(file, renderPage(data));
    url = pathToFileURL(file).href;
    complaints = [];
    requests = [];
    page = await browser.newPage({
      viewport: { width: options.isPhone ? 400 : 1300, height: 900 },
      hasTouch: options.isPhone ?? false,
    });
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(url);
    await page.locator("svg.lanes .lane").first().waitFor();
  }

  beforeEach(async () => {
    await page.mouse.move(5, 5);
    await page.keyboard.press("0");
    await page.evaluate("scrollTo({ top: 0, behavior: 'instant' })");
    for (let shown = await range(); shown.to - shown.from < WHOLE_MS;) shown = await range();
  });
  afterEach(() => {
    expect(complaints, "what the page complains of").to.deep.equal([]);
    expect(requests, "what the page asks for").to.deep.equal([url]);
  });

  const count = (selector: string): Promise<number> => page.locator(selector).count();
  const texts = (selector: string): Promise<string[]> => page.locator(selector).allTextContents();

  /** Where an instant of a lane is on the screen. */
  async function pointOf(label: string, atMs: number): Promise<{ x: number; y: number }> {
    const at = (await texts(".lanes text.label")).indexOf(label);
    const lane = await page.locator(".lanes rect.lane").nth(at).boundingBox();
    if (lane === null) throw new Error(`no lane ${label}`);
    const { from, to } = await range();
    const x = lane.x + ((atMs - from) / (to - from)) * lane.width;
    return { x, y: lane.y + lane.height / 2 };
  }

  async function hover(label: string, atMs: number): Promise<string> {
    const { x, y } = await pointOf(label, atMs);
    await page.mouse.move(x, y);
    const tooltip = page.locator("#tooltip");
    return (await tooltip.isVisible()) ? ((await tooltip.textContent()) ?? "") : "";
  }

  /** The part of time that is shown, ms. */
  async function range(): Promise<{ from: number; to: number }> {
    const { from, to } = await page
      .locator("#chart")
      .evaluate((chart) => Object.assign({}, chart.dataset));
    return { from: Number(from), to: Number(to) };
  }

  /** The range as soon as it is another: the page paints once a frame. */
  async function changedRange(before: { from: number; to: number }) {
    for (;;) {
      const now = await range();
      if (now.from !== before.from || now.to !== before.to) return now;
    }
  }

  it("has a lane for every node, name and client", async () => {
    expect(await texts(".lanes text.label")).to.deep.equal([
      ...["node 0", "node 1", "node 2", "node 3", "node 4", "job:0", "job:1"],
      ...["client 0", "client 1", "client 2", "client 3"],
    ]);
    expect(await count(".lanes rect.lane")).to.equal(11);
  });

  it("draws who holds what, each client in its color", async () => {
    // In the lanes of the names and of the clients.
    const colors = await page
      .locator(".lanes path.hold")
      .evaluateAll((paths) => paths.map((path) => path.getAttribute("fill")));
    expect(new Set(colors).size).to.equal(4);
    expect(await texts(".lanes text.holdText")).to.include.members(["c0.0", "job:0"]);
  });

  it("shades faults, each of its family, and where votes do not count", async () => {
    for (const family of ["down", "network", "frozen", "clock"]) {
      expect(await count(`.lanes rect.fault.${family}`), family).to.equal(1);
    }
    expect(await count(".lanes path.quarantine")).to.equal(1);
    expect(await count(".lanes rect.stop.stopped")).to.equal(1);
    expect(await count(".lanes path.killed")).to.equal(1);
    const { width = 0 } = (await page.locator(".lanes rect.network").boundingBox()) ?? {};
    const lane = await page.locator(".lanes rect.lane").first().boundingBox();
    expect(width / (lane?.width ?? 0)).to.be.closeTo(1_500 / 12_000, 0.01);
  });

  it("draws a partition with its client, and leaves the nodes' lanes alone", async () => {
    expect(await count(".lanes rect.cut")).to.equal(1);
    expect(await hover("client 0", 8_700)).to.match(/partition of client 0 from node 1, 2/);
    expect(await hover("node 2", 8_700)).to.not.match(/partition/);
  });

  it("marks lost signals and accesses that the store turned away", async () => {
    expect(await count(".lanes path.lost")).to.equal(1);
    expect(await count(".lanes path.rejected")).to.equal(1);
    expect(await hover("client 2", 6_000)).to.match(/lost job:0 \(expired\)/);
  });

  it("tells the fencing token of what is under the pointer", async () => {
    expect(await page.locator("#tooltip").isHidden()).to.equal(true);
    expect(await hover("job:0", 1_000)).to.match(/c0\.0 has job:0.*Fencing token 1001\b/);
    expect(await hover("client 1", 2_000)).to.match(/Fencing token 1002\b/);
    expect(await hover("node 0", 1_500)).to.match(/kill on node 0/);
    await page.mouse.move(5, 5);
    expect(await page.locator("#tooltip").isHidden()).to.equal(true);
  });

  it("shows a violation in red, with the operations around it", async () => {
    const red = "rgb(208, 44, 44)";
    const colorOf = (selector: string, property: string): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector("${selector}"))["${property}"]`);
    expect(await colorOf(".lanes line.violation", "stroke")).to.equal(red);
    expect(await colorOf(".lanes rect.overlap", "fill")).to.equal(red);
    expect(await colorOf("summary.violation", "color")).to.equal(red);
    expect(await texts(".badge")).to.deep.equal(["1 violation"]);
    const [summary] = await texts("summary.violation");
    expect(summary).to.match(/S1 at 6\.50000 s: both hold job:1/);
    const around = (await texts("details[open] tr")).join("\n");
    expect(around).to.match(/c1\.0is granted, token 2002/);
    expect(around).to.match(/c0\.0is told that it holds|c1\.0calls acquire/);
    // Only what concerns the name.
    expect(around).to.not.match(/1004/);
  });

  it("goes to a violation", async () => {
    const before = await range();
    await page.locator("summary.violation button").click();
    const { from, to } = await changedRange(before);
    expect(from).to.be.below(6_500);
    expect(to).to.be.within(6_500, 7_000);
  });

  it("zooms with the wheel around the pointer, and back with a double click", async () => {
    const all = await range();
    const { x, y } = await pointOf("job:0", 6_000);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -100);
    const zoomed = await changedRange(all);
    expect(zoomed.to - zoomed.from).to.be.below(all.to - all.from);
    expect((await pointOf("job:0", 6_000)).x).to.be.closeTo(x, 2);
    await page.mouse.dblclick(x, y);
    expect(await changedRange(zoomed)).to.deep.equal(all);
  });

  it("moves with a drag, by as much as the pointer", async () => {
    const all = await range();
    const { x, y } = await pointOf("job:0", 6_000);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -300);
    const zoomed = await changedRange(all);
    const start = await pointOf("job:0", 6_000);
    await page.mouse.move(start.x, y);
    await page.mouse.down();
    await page.mouse.move(start.x + 80, y, { steps: 4 });
    await page.mouse.up();
    const moved = await changedRange(zoomed);
    expect(moved.to - moved.from).to.be.closeTo(zoomed.to - zoomed.from, 1e-6);
    expect((await pointOf("job:0", 6_000)).x).to.be.closeTo(start.x + 80, 25);
    // The ticks go along.
    expect(moved.from).to.be.below(zoomed.from);
  });

  it("plots availability and latency on the same axis", async () => {
    expect(await texts(".plots text.title")).to.deep.equal([
      "Availability: acquires a second",
      "Latency: acquires of names without rivals",
    ]);
    for (const drawn of ["granted", "failed", "probe"]) {
      expect(await count(`.plots path.${drawn}`), drawn).to.be.above(0);
    }
    const dots = await page.locator(".plots path.probe").getAttribute("d");
    expect(dots?.match(/M/g)).to.have.length(49);
  });

  it("says what the id of every violation promises", async () => {
    expect(await texts("p.promise")).to.deep.equal([
      "S1 promises: no two clients hold a name at once",
    ]);
    const { PROMISES } = (await import(
      pathToFileURL(join(root, "chaos", "report", "page", "promises.js")).href
    )) as { PROMISES: Readonly<Record<string, string>> };
    expect(Object.keys(PROMISES)).to.have.members([...SHARED_ORACLES, "R1"]);
  });

  it("has buttons for what a wheel does", async () => {
    const all = await range();
    await page.getByRole("button", { name: "zoom in" }).click();
    const zoomed = await changedRange(all);
    expect(zoomed.to - zoomed.from).to.be.closeTo((all.to - all.from) / 2, 1);
    await page.getByRole("button", { name: "later" }).click();
    const later = await changedRange(zoomed);
    expect(later.from).to.be.above(zoomed.from);
    await page.getByRole("button", { name: "show all" }).click();
    expect(await changedRange(later)).to.deep.equal(all);
  });

  describe("on a phone", () => {
    before(async () => {
      await page.close();
      await open({ isPhone: true });
    });

    it("is no wider than the screen, with all words of legend and plots on it", async () => {
      expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(400);
      const ends = await page
        .locator(".legend li, .plots .key, .plots .title")
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
      expect(ends.length).to.be.above(15);
      expect(Math.max(...ends)).to.be.below(400);
    });

    it("tells on a tap what is there, and keeps it to be read", async () => {
      await page.locator(".lanes").scrollIntoViewIfNeeded();
      const { x, y } = await pointOf("job:0", 1_000);
      await page.touchscreen.tap(x, y);
      const tooltip = page.locator("#tooltip");
      expect(await tooltip.textContent()).to.match(/Fencing token 1001\b/);
      expect(await tooltip.isVisible()).to.equal(true);
      const { x: left = -1, width = 0 } = (await tooltip.boundingBox()) ?? {};
      expect(left).to.be.at.least(0);
      expect(left + width).to.be.at.most(400);
    });

    it("zooms by two fingers, and moves by one", async () => {
      const all = await range();
      await page.locator(".lanes").scrollIntoViewIfNeeded();
      const { y } = await pointOf("job:0", 6_000);
      const cdp = await page.context().newCDPSession(page);
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...xs: number[]) =>
        cdp.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: xs.map((x, id) => ({ x, y, id })),
        });
      await touch("touchStart", 200);
      await touch("touchStart", 200, 240);
      await touch("touchMove", 160, 280);
      await touch("touchMove", 120, 320);
      await touch("touchEnd");
      const zoomed = await changedRange(all);
      expect(zoomed.to - zoomed.from).to.be.below((all.to - all.from) / 2);
      await touch("touchStart", 300);
      for (const x of [280, 240, 200]) await touch("touchMove", x);
      await touch("touchEnd");
      expect((await changedRange(zoomed)).from).to.be.above(zoomed.from);
    });
  });

  it("is calm without a violation", async () => {
    await page.close();
    await open({ isSafe: true });
    expect(await texts(".badge")).to.deep.equal(["no violation"]);
    expect(await count(".violation, .overlap, details")).to.equal(0);
  });
});
