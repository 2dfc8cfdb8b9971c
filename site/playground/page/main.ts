import { linkTo, jsonInLink } from "../../../sim/scenario-link.js";
import type { Scenario } from "../../../sim/scenario.js";
import { withChange } from "../world/changes.js";
import { checkShared } from "../world/check.js";
import { play, SIDES, type Match } from "../world/play.js";
import { SCENES, type Scene } from "../world/scenes.js";
import { ChangePanel } from "./change-panel.js";
import { button, byId, el } from "./dom.js";
import { labelOf } from "./labels.js";
import { legend } from "./legend.js";
import { messageTurns } from "./next-turn.js";
import { Player } from "./player.js";
import { SideView } from "./side.js";
import { Story } from "./story.js";
import { TextTrace } from "./text-trace.js";
import { Transport } from "./transport.js";

const nextTurn = messageTurns();
/** Of all scenes, the one in which the two sides differ most. */
const OPENING = SCENES.find(({ id }) => id === "clock-jump") as Scene;

let scene = OPENING;
let scenario = OPENING.scenario;
let match: Match | undefined;
let zoom = 1;
/** The current run. Runs requested in the meantime are merged into one that follows it. */
let running: Promise<void> | undefined;
let isAskedAgain = false;

const player = new Player(() => tick());
const story = new Story(byId("story"));
const transport = new Transport(byId("transport"), player, {
  zoom,
  onZoom: (to) => {
    zoom = to;
    draw();
  },
  onSeed: (seed) => change({ ...scenario, seed }, `seed ${seed}`),
});
const panel = new ChangePanel(byId("changes"), {
  nowMs: () => player.nowUs / 1_000,
  onChange: change,
});
const trace = new TextTrace(byId("trace"));
const notice = el("p", { class: "notice", role: "status" });
const address = el("input", {
  type: "text",
  readonly: true,
  id: "address",
  "aria-label": "link to this scenario",
});
const command = el("input", {
  type: "text",
  readonly: true,
  id: "command",
  "aria-label": "command that runs this scenario in Node.js",
});
const handles = {
  onChoose: panel.choose.bind(panel),
  onSetClock: (node: number, byMs: number) => {
    const target = { kind: "node", node } as const;
    change(
      withChange(scenario, "jump", target, player.nowUs / 1_000, byMs / 1_000),
      `clock of node ${node} set`,
    );
  },
};
const views = SIDES.map((side) => {
  return { side, view: new SideView(side, (row, played) => labelOf(row, played, handles), draw) };
});

/** Runs the scenario on both sides, and shows it at the same instant as before. */
function run(): Promise<void> {
  if (running !== undefined) {
    isAskedAgain = true;
    return running;
  }
  document.body.dataset["state"] = "running";
  running = playBoth().finally(() => {
    running = undefined;
    document.body.dataset["state"] = "ready";
  });
  return running;
}

async function playBoth(): Promise<void> {
  do {
    isAskedAgain = false;
    try {
      match = await play(scenario, nextTurn);
    } catch (error) {
      notice.textContent = `This scenario cannot be run: ${(error as Error).message}`;
      return;
    }
  } while (isAskedAgain);
  player.setEnd(scenario.chaosMs * 1_000);
  story.show(scene, isChanged());
  transport.showSeed(scenario.seed);
  panel.show(scenario);
  if (match) trace.show(match);
  share();
  draw();
}

function isChanged(): boolean {
  return JSON.stringify(scenario) !== JSON.stringify(scene.scenario);
}

function draw(): void {
  if (match === undefined) return;
  for (const { side, view } of views) view.show(match[side], zoom);
  tick();
}

function tick(): void {
  transport.tick();
  story.at(player.nowUs, player.endUs);
  for (const { view } of views) view.at(player.nowUs);
  trace.at(player.nowUs);
}

function change(to: Scenario, what: string): void {
  scenario = to;
  notice.textContent = `${what[0]?.toUpperCase()}${what.slice(1)}.`;
  void run();
}

function choose(next: Scene): void {
  scene = next;
  scenario = next.scenario;
  notice.textContent = "";
  markScene();
  player.moveTo(0);
  void run().then(() => player.play());
}

function markScene(): void {
  for (const node of byId("scenes").querySelectorAll("button")) {
    node.setAttribute("aria-pressed", String(node.dataset["scene"] === scene.id));
  }
}

/** Puts the scenario into the address, so that it can be saved and sent. */
function share(): void {
  const link = linkTo(location.href, { scene: scene.id, scenario });
  address.value = link;
  command.value = `npm run replay -- '${link}'`;
  history.replaceState(null, "", isChanged() ? link : `#${scene.id}`);
}

/** Loads the scenario or scene in the address, if there is one. */
function readAddress(): void {
  const named = SCENES.find(({ id }) => location.hash === `#${id}`);
  if (named !== undefined) [scene, scenario] = [named, named.scenario];
  try {
    const json = jsonInLink(location.href);
    if (json === undefined) return;
    const shared = checkShared(json);
    scenario = shared.scenario;
    scene = SCENES.find(({ id }) => id === shared.scene) ?? OPENING;
  } catch (error) {
    notice.textContent = `The link could not be read: ${(error as Error).message}`;
  }
}

function copy(field: HTMLInputElement): HTMLElement {
  return button(
    "copy",
    () => {
      field.select();
      // Pages opened from files may not use the clipboard: the selected text can be copied manually.
      void navigator.clipboard?.writeText(field.value).catch(() => {});
    },
    { "aria-label": `copy the ${field.id}` },
  );
}

byId("scenes").append(
  ...SCENES.map((each, index) => {
    return button(`${index + 1}. ${each.title}`, () => choose(each), { "data-scene": each.id });
  }),
);
byId("sides").append(...views.map(({ view }) => view.root));
byId("share").append(
  el("h2", {}, "This scenario elsewhere"),
  el(
    "p",
    {},
    "Every change becomes part of the scenario, and the link contains the scenario. The command runs it in Node.js, in a clone of the repository; add --naive for the naive Redlock. Its last line shows the same trace hash as this page.",
  ),
  el("div", { class: "row" }, address, copy(address)),
  el("div", { class: "row" }, command, copy(command)),
);
byId("changes").append(notice);
byId("legend").append(legend());
document.addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement;
  if (
    target.closest("input, select, [role=slider]") ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey
  )
    return;
  const chosen = SCENES[Number(event.key) - 1];
  if (chosen !== undefined) choose(chosen);
});
addEventListener("hashchange", () => {
  if (location.href === address.value) return;
  readAddress();
  markScene();
  void run();
});

readAddress();
markScene();
// It opens on a run that is over: the outcome is seen first, and how it came to that when it plays.
void run().then(() => player.moveTo(player.endUs));
