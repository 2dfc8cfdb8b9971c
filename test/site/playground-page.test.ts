import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { jsonInLink, linkTo } from "../../sim/scenario-link.js";
import { checkShared } from "../../site/playground/world/check.js";
import { play, SIDES, type Side } from "../../site/playground/world/play.js";
import { SCENES, type Scene } from "../../site/playground/world/scenes.js";
import { chromiumPath } from "../chaos/chromium.js";

const SCRIPT = fileURLToPath(new URL("../../../scripts/playground.mjs", import.meta.url));

/** Of the whole page, with the Lua VM in it. */
const MAX_BYTES = 700_000;

const suite = chromiumPath === undefined ? describe.skip : describe;
const why = chromiumPath === undefined ? " (skipped: no Chromium on PATH)" : "";

suite(`The playground, in a browser${why}`, function () {
  // Browsers are slow to start on a busy machine.
  this.timeout(180_000);

  let dir = "";
  let file = "";
  let browser: Browser;
  let page: Page;
  let complaints: string[] = [];
  let requests: string[] = [];

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "quorate-playground-"));
    file = join(dir, "playground.html");
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, "--out", file], {
      encoding: "utf8",
    });
    expect(status, stderr).to.equal(0);
    const { chromium } = await import("playwright-core");
    browser = await chromium.launch({
      ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
      // Its sandbox does not work for root, nor in most containers.
      args: ["--no-sandbox", "--disable-dev-shm-usage"],
    });
    page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requests.push(request.url().split("#", 1)[0] ?? ""));
  });
  after(async () => {
    await browser?.close();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(() => {
    complaints = [];
    requests = [];
  });
  afterEach(() => {
    expect(complaints, "what the page complains of").to.deep.equal([]);
    const foreign = requests.filter(
      (url) => url !== pathToFileURL(file).href && url !== "about:blank",
    );
    expect(foreign, "what the page asks for").to.deep.equal([]);
  });

  const sceneOf = (id: string): Scene => SCENES.find((scene) => scene.id === id) as Scene;
  const textOf = (selector: string): Promise<string> => page.locator(selector).innerText();
  const dataOf = async (side: Side, name: string): Promise<string> =>
    (await page.locator(`#${side}`).getAttribute(`data-${name}`)) ?? "";
  const ready = () => page.waitForFunction("document.body.dataset.state === 'ready'");

  async function open(fragment: string): Promise<void> {
    // Another fragment alone would load nothing.
    await page.goto("about:blank");
    await page.goto(pathToFileURL(file).href + fragment);
    await ready();
  }

  /** A scene as it is at its beginning, standing still. */
  async function choose(id: string): Promise<void> {
    if (page.url() === "about:blank") await open("");
    const { title } = sceneOf(id);
    await page.getByRole("button", { name: title }).click();
    await page.waitForFunction(`document.querySelector("#story h2").textContent === "${title}"`);
    await ready();
    await page.locator(".play", { hasText: "Pause" }).click();
    await page.keyboard.press("Home");
  }

  /** The scenario as it stands in the link that the page shows. */
  async function linked() {
    const link = await page.locator("#address").inputValue();
    return checkShared(jsonInLink(link) ?? "");
  }

  async function expectSameAsInNode(): Promise<void> {
    const match = await play((await linked()).scenario);
    for (const side of SIDES) {
      expect(await dataOf(side, "trace"), side).to.equal(match[side].traceHash);
    }
  }

  it("is one file of its size", () => {
    expect(statSync(file).size).to.be.below(MAX_BYTES);
  });

  it("opens on a run that is over, whose outcome is seen without scrolling, and says what its words mean", async () => {
    await page.setViewportSize({ width: 1_280, height: 800 });
    await open("");
    expect(await dataOf("naive", "broken")).to.equal("S1 F3");
    expect(await dataOf("quorate", "broken")).to.equal("");
    expect(await textOf(".now")).to.equal("9.00 s of 9 s");
    for (const side of SIDES) {
      const box = await page.locator(`#${side} .plot`).boundingBox();
      expect((box?.y ?? Infinity) + (box?.height ?? 0), side).to.be.below(800);
    }
    expect(await page.locator("header dfn").allInnerTexts()).to.deep.equal(["seed", "oracle"]);
    expect(await page.locator("link[rel=icon]").getAttribute("href")).to.match(/^data:image\/svg/);
    await page.locator(".play").click();
    await page.locator(".play", { hasText: "Pause" }).waitFor();
    await page.locator(".play").click();
  });

  it("has the time lines first on a phone", async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await open("");
    const tops = await Promise.all(
      ["sides", "transport", "story", "scenes"].map(async (id) => {
        return (await page.locator(`#${id}`).boundingBox())?.y ?? Number.NaN;
      }),
    );
    expect(tops).to.deep.equal(tops.toSorted((a, b) => a - b));
    expect(tops[0]).to.be.below(300);
    await page.setViewportSize({ width: 1_300, height: 900 });
  });

  for (const scene of SCENES) {
    it(`${scene.title}: is judged as it is said, and plays as in Node.js`, async () => {
      await choose(scene.id);
      await page.locator("h1").click();
      await page.keyboard.press("End");
      for (const side of SIDES) {
        const broken = (await dataOf(side, "broken")).split(" ").filter(Boolean);
        expect(broken, side).to.have.members(scene.broken[side]);
      }
      expect(await textOf(".verdict")).to.contain(scene.right.who);
      expect((await linked()).scenario).to.deep.equal(scene.scenario);
      await expectSameAsInNode();
    });
  }

  it("a scene that is chosen plays, with captions, and can be stopped by key", async () => {
    // So slow that a busy machine misses nothing.
    await page.locator("#speed").selectOption("0.1");
    await page.getByRole("button", { name: /A split/ }).click();
    await page.locator(".play", { hasText: "Pause" }).waitFor();
    await page.locator("input[type=range]").fill("1950");
    await page.getByText("All three ask at once").waitFor();
    await page.locator("h1").click();
    await page.keyboard.press("Space");
    expect(await textOf(".play")).to.equal("Play");
    const before = await textOf(".now");
    await page.keyboard.press("Shift+ArrowRight");
    expect(Number.parseFloat(await textOf(".now"))).to.be.closeTo(
      Number.parseFloat(before) + 1,
      0.02,
    );
    await page.keyboard.press("Home");
    expect(await textOf(".now")).to.match(/^0\.00 s of/);
    await page.keyboard.press("3");
    await ready();
    expect(await textOf("#story h2")).to.equal(sceneOf("clock-jump").title);
  });

  it("a clock that is dragged is set on both sides, beyond what Quorate promises as well", async () => {
    await choose("clock-jump");
    await page.locator("input[type=range]").fill("3200");
    const clock = page.locator("#quorate .clock").nth(1);
    const box = await clock.boundingBox();
    const [x, y] = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 120, y, { steps: 4 });
    await page.mouse.up();
    await ready();
    const { faults } = (await linked()).scenario;
    expect(faults.at(-1)).to.deep.equal({ kind: "nodeJump", atMs: 3_200, node: 1, byMs: 6_000 });
    await page.locator("h1").click();
    await page.keyboard.press("End");
    expect(await dataOf("quorate", "broken")).to.contain("S1");
    expect(await textOf("#quorate")).to.contain("more than clockStepMs (5 s)");
    await expectSameAsInNode();
    await open(new URL(page.url()).hash);
    expect(await textOf("#story h2")).to.contain("changed");
    await expectSameAsInNode();
  });

  it("a change is made by the form, told, and taken back", async () => {
    await choose("split");
    await page.locator("input[type=range]").fill("2500");
    await page.locator("#target").selectOption({ label: "client 1" });
    await page.locator("#action").selectOption("pause");
    await page.locator("#amount").fill("3");
    await page.getByRole("button", { name: "Do it now" }).click();
    await ready();
    expect((await linked()).scenario.faults).to.deep.equal([
      { kind: "pause", atMs: 2_500, client: 1, forMs: 3_000 },
    ]);
    expect(await textOf(".notice")).to.contain("Client 1: pause it");
    await expectSameAsInNode();
    await page.getByRole("button", { name: /remove: client 1: paused/ }).click();
    await ready();
    expect((await linked()).scenario).to.deep.equal(sceneOf("split").scenario);
    expect(new URL(page.url()).hash).to.equal("#split");
  });

  it("the trace grows with time and says what stands in the picture", async () => {
    await choose("pause-before-write");
    const lines = (): Promise<string[]> =>
      page.locator("#trace ol").nth(1).locator("li").allInnerTexts();
    await page.locator("input[type=range]").fill("3000");
    const early = await lines();
    await page.locator("input[type=range]").fill("12500");
    const late = await lines();
    expect(late.slice(0, early.length)).to.deep.equal(early);
    expect(late.join("\n")).to.contain("Client 0 is refused by the store that checks tokens");
    expect(await page.locator("#quorate svg .bounce").count()).to.equal(1);
    expect(await page.locator("#naive svg .bounce").count()).to.equal(0);
  });

  it("a link that cannot be read is said to be so", async () => {
    await open("#scenario=e30");
    expect(await textOf(".notice")).to.contain("scenario is no object");
    expect(await textOf("#story h2")).to.equal(sceneOf("clock-jump").title);
    const bad = { ...sceneOf("split").scenario, nodeCount: 3, chaosMs: -1 };
    await open(new URL(linkTo("file:///x", { scenario: bad })).hash);
    expect(await textOf(".notice")).to.contain("chaosMs must be a number");
  });

  it("fits 400, 900 and 1600 px, light and dark", async () => {
    await choose("restart-without-data");
    await page.locator("input[type=range]").fill("9000");
    const grounds = new Set<string>();
    for (const width of [400, 900, 1_600]) {
      await page.setViewportSize({ width, height: 900 });
      // The plots are drawn anew when they have another width.
      await page.waitForFunction(
        "document.querySelector('#quorate svg').width.baseVal.value === document.querySelector('#quorate .plot').clientWidth",
      );
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        grounds.add(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
        const over = await page.evaluate<number>(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        expect(over, `${width} ${colorScheme}`).to.be.at.most(0);
      }
      const [left, right] = await Promise.all(
        SIDES.map((side) => page.locator(`#${side}`).boundingBox()),
      );
      expect((right?.x ?? 0) > (left?.x ?? 0), `beside each other at ${width}`).to.equal(
        width >= 900,
      );
    }
    expect(grounds.size).to.equal(2);
  });
});
