import type { Violation } from "../../../sim/oracles/history.js";
import { oraclesOf } from "../../../sim/profiles.js";
import { outsideOfModel } from "../world/changes.js";
import { offsetMs } from "../world/node-clocks.js";
import { pictureOf, type Picture } from "../world/picture.js";
import type { Played, Side } from "../world/play.js";
import { el, seconds, svg } from "./dom.js";
import { heightOf, HEIGHT, Lanes, rowsOf, type Row } from "./lanes.js";

const TITLES: Readonly<Record<Side, string>> = { naive: "Naive Redlock", quorate: "Quorate" };

/** The meaning of each oracle's findings, for readers who do not know its page. */
export const MEANING: Readonly<Record<string, string>> = {
  S1: "two clients hold the lock at once",
  S2: "somebody else could get the lock while a client still holds it",
  S3: "a client believes for longer than it has proof",
  F1: "tokens do not grow",
  F2: "the store that checks tokens lost an update",
  F3: "a store that checks nothing lost an update",
};

export interface LabelMaker {
  (row: Row, played: Played): HTMLElement;
}

/** One half of the page: a title, a verdict, lanes and numbers. */
export class SideView {
  readonly root: HTMLElement;
  readonly #side: Side;
  readonly #status = el("p", { class: "status", "aria-live": "polite" });
  readonly #why = el("p", { class: "numbers" });
  readonly #numbers = el("p", { class: "numbers" });
  readonly #labels = el("div", { class: "labels" });
  readonly #plot = el("div", { class: "plot" });
  readonly #labelOf: LabelMaker;
  #played: Played | undefined;
  #picture: Picture | undefined;
  #lanes: Lanes | undefined;
  #clip: SVGRectElement | undefined;
  #moving: SVGGElement | undefined;
  #head: SVGLineElement | undefined;
  #zoom = 1;
  #widthPx = 0;

  constructor(side: Side, labelOf: LabelMaker, onResize: () => void) {
    this.#side = side;
    this.#labelOf = labelOf;
    const title = el("h2", { id: `title-${side}` }, TITLES[side]);
    const board = el("div", { class: "board" }, this.#labels, this.#plot);
    const attributes = { class: "side", id: side, "aria-labelledby": `title-${side}` };
    this.root = el("article", attributes, title, this.#status, board, this.#why, this.#numbers);
    new ResizeObserver(() => {
      if (this.#plot.clientWidth !== this.#widthPx) onResize();
    }).observe(this.#plot);
  }

  show(played: Played, zoom: number): void {
    if (played !== this.#played) this.#picture = pictureOf(played);
    this.#played = played;
    this.#zoom = zoom;
    const rows = rowsOf(played);
    const height = heightOf(rows);
    this.#widthPx = this.#plot.clientWidth;
    const wholePx = this.#widthPx * zoom;
    const lanes = new Lanes(
      played,
      this.#picture as Picture,
      rows,
      wholePx / (played.scenario.chaosMs * 1_000),
    );
    this.#lanes = lanes;
    const clipId = `past-${this.#side}`;
    this.#clip = svg("rect", { x: 0, y: 0, width: 0, height });
    this.#head = svg("line", { class: "head", x1: 0, y1: 0, x2: 0, y2: height });
    const past = svg("g", { "clip-path": `url(#${clipId})` }, lanes.past);
    this.#moving = svg("g", {}, ...this.#grid(height), lanes.outlook, past, this.#head);
    const hatch = svg(
      "pattern",
      {
        id: `hatch-${this.#side}`,
        width: 6,
        height: 6,
        patternUnits: "userSpaceOnUse",
        patternTransform: "rotate(45)",
      },
      svg("rect", { class: "hatch", width: 2.5, height: 6 }),
    );
    const label = `${TITLES[this.#side]}: clients, nodes and stores over time. The trace below says the same as text.`;
    const image = svg(
      "svg",
      { width: this.#widthPx, height, role: "img", "aria-label": label },
      svg("defs", {}, svg("clipPath", { id: clipId }, this.#clip), hatch),
      ...lanes.stripes(this.#widthPx),
      this.#moving,
    );
    this.#plot.replaceChildren(image);
    const labels = rows.map((row) => {
      const node = this.#labelOf(row, played);
      node.style.top = `${row.top}px`;
      node.style.height = `${HEIGHT[row.kind] - 4}px`;
      return node;
    });
    this.#labels.replaceChildren(...labels);
    this.#labels.style.height = `${height}px`;
  }

  /** Shows everything up to that instant. */
  at(nowUs: number): void {
    const { played, lanes } = { played: this.#played, lanes: this.#lanes };
    if (played === undefined || lanes === undefined) return;
    const x = lanes.x(nowUs);
    this.#clip?.setAttribute("width", String(x));
    this.#head?.setAttribute("x1", String(x));
    this.#head?.setAttribute("x2", String(x));
    const most = this.#widthPx * (this.#zoom - 1);
    const from = Math.min(most, Math.max(0, x - this.#widthPx * 0.6));
    this.#moving?.setAttribute("transform", `translate(${-from} 0)`);
    lanes.showOutlook(nowUs);
    this.#tellStatus(played, nowUs);
    this.#tellNumbers(played, nowUs);
    this.#labels.querySelectorAll<HTMLElement>(".clock").forEach((clock) => {
      if (clock.classList.contains("dragged")) return;
      const ms = offsetMs(played.scenario, Number(clock.dataset["node"]), nowUs);
      clock.textContent = offsetText(ms);
      clock.setAttribute("aria-valuenow", String(Math.round(ms)));
      clock.setAttribute("aria-valuetext", `${offsetText(ms)} off true time`);
    });
  }

  #grid(height: number): SVGElement[] {
    const { chaosMs } = (this.#played as Played).scenario;
    const pxPerS = (this.#widthPx * this.#zoom) / (chaosMs / 1_000);
    const everyS = [0.25, 0.5, 1, 2, 5, 10].find((each) => each * pxPerS >= 42) ?? 20;
    const lines: SVGElement[] = [];
    for (let at = 0; at * 1_000 < chaosMs; at += everyS) {
      const x = at * pxPerS;
      lines.push(svg("line", { class: "grid", x1: x, y1: 14, x2: x, y2: height }));
      lines.push(svg("text", { class: "tick", x: x + 2, y: 10 }, `${at} s`));
    }
    return lines;
  }

  #tellStatus({ violations, scenario }: Played, nowUs: number): void {
    const seen = violations.filter(({ atUs }) => atUs <= nowUs);
    const first = new Map<string, Violation>();
    for (const each of seen) if (!first.has(each.id)) first.set(each.id, each);
    const promised = this.#side === "quorate" ? oraclesOf(scenario.profile) : [];
    const reasons = this.#side === "quorate" ? outsideOfModel(scenario) : [];
    const { store } = this.#picture as Picture;
    const refused = store.filter(({ what, atUs }) => what === "reject" && atUs <= nowUs).length;
    const lines: string[] = [];
    if (refused > 0) {
      lines.push(
        `the store that checks tokens refused ${refused === 1 ? "a late write" : `${refused} late writes`}`,
      );
    }
    for (const { id, atUs } of first.values()) {
      const isOutside = this.#side === "quorate" && (reasons.length > 0 || !promised.includes(id));
      const note = isOutside ? " (not promised here, see below)" : "";
      lines.push(`${id} at ${seconds(atUs)}: ${MEANING[id] ?? "see the trace below"}${note}`);
    }
    const text = lines.length === 0 ? "No oracle reports a violation." : sentence(lines);
    if (this.#status.textContent !== text) this.#status.textContent = text;
    const why =
      seen.length > 0 && reasons.length > 0
        ? `Not promised in this scenario: ${sentence(reasons)}`
        : "";
    if (this.#why.textContent !== why) this.#why.textContent = why;
    this.#status.classList.toggle(
      "bad",
      seen.some(({ id }) => id !== "F3" || this.#side === "naive"),
    );
    this.#status.classList.toggle("warn", seen.length > 0);
    this.root.dataset["broken"] = [...new Set(seen.map(({ id }) => id))].join(" ");
  }

  #tellNumbers({ traceHash, history, messages }: Played, nowUs: number): void {
    const granted = history.events.filter(({ kind, atUs }) => kind === "grant" && atUs <= nowUs);
    const { clients } = this.#picture as Picture;
    const attempts = clients.reduce((sum, { attemptCount }) => sum + attemptCount, 0);
    const sent = messages.filter(({ sentUs }) => sentUs <= nowUs).length;
    const firstUs = granted[0]?.atUs;
    const first = firstUs === undefined ? "" : `, the first at ${seconds(firstUs)}`;
    this.#numbers.textContent = `${granted.length} granted${first}; ${attempts} attempts in all; ${sent} messages; trace ${traceHash}`;
    this.root.dataset["trace"] = traceHash;
  }
}

function sentence(parts: readonly string[]): string {
  const text = parts.join("; ");
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

export function offsetText(ms: number): string {
  if (Math.abs(ms) < 5) return "±0 s";
  return `${ms < 0 ? "−" : "+"}${Math.abs(ms / 1_000).toFixed(Math.abs(ms) < 9_950 ? 1 : 0)} s`;
}
