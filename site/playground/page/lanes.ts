import type { Picture, Span, Stop } from "../world/picture.js";
import type { Played } from "../world/play.js";
import { seconds, svg } from "./dom.js";

/** Heights of the lanes, px; their labels have the same height. */
export const HEIGHT = { client: 44, node: 46, store: 34, gap: 12, top: 18 };
const BAR = 16;
/** Height of the bars for pauses and the like, which are drawn above the main bar. */
const STOP = 11;

export interface Row {
  readonly kind: "client" | "node" | "store";
  readonly index: number;
  readonly label: string;
  readonly top: number;
}

/** The lanes from top to bottom. */
export function rowsOf({ scenario }: Played): readonly Row[] {
  const isNaive = scenario.clients.some(({ code }) => code === "naive");
  const stores = isNaive ? ["store, plain"] : ["store, tokens", "store, plain"];
  const rows: Row[] = [];
  let top = HEIGHT.top;
  const add = (kind: Row["kind"], labels: readonly string[]): void => {
    labels.forEach((label, index) => {
      rows.push({ kind, index, label, top });
      top += HEIGHT[kind];
    });
    top += HEIGHT.gap;
  };
  add(
    "client",
    scenario.clients.map((_, index) => `client ${index}`),
  );
  add(
    "node",
    scenario.nodes.map((_, index) => `node ${index}`),
  );
  add("store", stores);
  return rows;
}

export function heightOf(rows: readonly Row[]): number {
  const last = rows.at(-1);
  return last === undefined ? 0 : last.top + HEIGHT[last.kind] + 4;
}

/** Room for the name of a violation. */
const FLAG_PX = 24;

/** A whole run, on lanes; the caller hides what is still to come. */
export class Lanes {
  readonly past: SVGGElement;
  /** What is known at one instant about the future. */
  readonly outlook = svg("g", { class: "outlook" });
  readonly #played: Played;
  readonly #picture: Picture;
  readonly #rows: readonly Row[];
  readonly #pxPerUs: number;

  constructor(played: Played, picture: Picture, rows: readonly Row[], pxPerUs: number) {
    this.#played = played;
    this.#picture = picture;
    this.#rows = rows;
    this.#pxPerUs = pxPerUs;
    this.past = svg(
      "g",
      {},
      ...this.#messages(),
      ...this.#clients(),
      ...this.#nodes(),
      ...this.#stores(),
      ...this.#violations(),
    );
  }

  x(us: number): number {
    return Math.round(us * this.#pxPerUs * 10) / 10;
  }

  /** The background: one stripe per lane. */
  stripes(widthPx: number): SVGElement[] {
    return this.#rows.map(({ kind, top }) => {
      const height = HEIGHT[kind] - 4;
      return svg("rect", { class: `stripe ${kind}`, x: 0, y: top, width: widthPx, height });
    });
  }

  /** Draws current beliefs and keys as ghosts, up to where they are due to end. */
  showOutlook(nowUs: number): void {
    const { clients, nodes } = this.#picture;
    const ghosts: SVGElement[] = [];
    clients.forEach(({ beliefs }, client) => {
      for (const belief of beliefs)
        ghosts.push(...this.#ghost("client", client, client, belief, nowUs));
    });
    nodes.forEach(({ keys }, node) => {
      for (const key of keys) ghosts.push(...this.#ghost("node", node, key.client, key, nowUs));
    });
    this.outlook.replaceChildren(...ghosts);
  }

  #ghost(
    kind: Row["kind"],
    index: number,
    client: number,
    {
      fromUs,
      toUs,
      outlooks,
    }: Span & { readonly outlooks: readonly { atUs: number; untilUs: number }[] },
    nowUs: number,
  ): SVGElement[] {
    const untilUs = outlooks.findLast(({ atUs }) => atUs <= nowUs)?.untilUs ?? 0;
    if (nowUs < fromUs || nowUs >= toUs || untilUs <= nowUs) return [];
    const y = this.#barTop(kind, index);
    const width = Math.max(1, this.x(untilUs) - this.x(nowUs));
    return [
      svg("rect", { class: `ghost ${kind} of${client}`, x: this.x(nowUs), y, width, height: BAR }),
      svg(
        "text",
        { class: "left", x: this.x(nowUs) + 4, y: y + 12 },
        `${seconds(untilUs - nowUs, 1)} left`,
      ),
    ];
  }

  #row(kind: Row["kind"], index: number): Row {
    return this.#rows.find((row) => row.kind === kind && row.index === index) as Row;
  }

  #barTop(kind: Row["kind"], index: number): number {
    return this.#row(kind, index).top + HEIGHT[kind] - 5 - BAR;
  }

  #bar(
    kind: Row["kind"],
    index: number,
    { fromUs, toUs }: Span,
    look: string,
    text = "",
  ): SVGElement[] {
    const y = this.#barTop(kind, index);
    const x = this.x(fromUs);
    const width = Math.max(1, this.x(toUs) - x);
    const bar = svg("rect", { class: look, x, y, width, height: BAR, rx: 2 });
    const fits = width > text.length * 5.6 + 6;
    return fits && text
      ? [bar, svg("text", { class: "inside", x: x + 4, y: y + 12 }, text)]
      : [bar];
  }

  #stop(kind: Row["kind"], index: number, stop: Stop): SVGElement[] {
    const y = this.#row(kind, index).top + 1;
    const [x, width] = [this.x(stop.fromUs), Math.max(2, this.x(stop.toUs) - this.x(stop.fromUs))];
    const bar = svg("rect", { class: "stop", x, y, width, height: STOP, rx: 2 });
    if (width < 46) return [bar];
    return [bar, svg("text", { class: "inside", x: x + 4, y: y + 9 }, stop.what)];
  }

  /** A text to the right of an instant, or to the left if there is no room. */
  #beside(atUs: number, y: number, text: string, look: string): SVGElement {
    const x = this.x(atUs);
    const isLate = x + 12 + text.length * 6 > this.x(this.#played.scenario.chaosMs * 1_000);
    const place = isLate ? { x: x - 9, "text-anchor": "end" } : { x: x + 9 };
    return svg("text", { class: look, ...place, y }, text);
  }

  #messages(): SVGElement[] {
    return this.#picture.lines.flatMap((line) => {
      const { client, node, isToNode, sentUs, arrivedUs = sentUs, isLost, vote } = line;
      const top = this.#barTop("client", client) + BAR;
      const bottom = this.#barTop("node", node);
      const [from, to] = isToNode ? [top, bottom] : [bottom, top];
      const isStopped = line.arrivedUs === undefined || isLost;
      const end = isStopped ? from + (to - from) * 0.25 : to;
      const x2 = isStopped ? this.x(sentUs) + 3 : this.x(arrivedUs);
      const look = `message of${client} ${vote}${isStopped ? " stopped" : ""}`;
      const path = svg("line", { class: look, x1: this.x(sentUs), y1: from, x2, y2: end });
      return isStopped
        ? [path, svg("circle", { class: "cutoff", cx: x2, cy: end, r: 1.8 })]
        : [path];
    });
  }

  #clients(): SVGElement[] {
    return this.#picture.clients.flatMap(({ beliefs, waits, stops, marks }, client) => [
      ...waits.map(({ fromUs, toUs }) => {
        const y = this.#barTop("client", client) + BAR / 2;
        return svg("line", {
          class: `wait of${client}`,
          x1: this.x(fromUs),
          y1: y,
          x2: this.x(toUs),
          y2: y,
        });
      }),
      ...beliefs.flatMap((belief) => {
        const text = ["holds", this.#tokenText(belief.token)].filter(Boolean).join(", token ");
        return this.#bar("client", client, belief, `belief of${client}`, text);
      }),
      ...stops.flatMap((stop) => this.#stop("client", client, stop)),
      ...marks.flatMap(({ atUs, text }) => this.#mark("client", client, atUs, text)),
    ]);
  }

  #nodes(): SVGElement[] {
    return this.#picture.nodes.flatMap(({ keys, stops, quarantines, marks }, node) => [
      ...quarantines.flatMap((span) =>
        this.#bar("node", node, span, "quarantine", "votes do not count"),
      ),
      ...keys.flatMap((key) => {
        return this.#bar("node", node, key, `key of${key.client}`, `key of client ${key.client}`);
      }),
      ...stops.flatMap((stop) => this.#stop("node", node, stop)),
      ...marks.flatMap(({ atUs, text }) => this.#mark("node", node, atUs, text)),
    ]);
  }

  #mark(kind: Row["kind"], index: number, atUs: number, text: string): SVGElement[] {
    const { top } = this.#row(kind, index);
    const x = this.x(atUs);
    return [
      svg("line", { class: "mark", x1: x, y1: top, x2: x, y2: top + HEIGHT[kind] - 4 }),
      this.#beside(atUs, top + 10, text, "marktext"),
    ];
  }

  #stores(): SVGElement[] {
    const stores = this.#rows.filter(({ kind }) => kind === "store");
    return this.#picture.store.flatMap(({ atUs, client, what, store, token, isLosing }) => {
      const row = stores.find(({ label }) =>
        label.endsWith(store === "fenced" ? "tokens" : "plain"),
      );
      if (row === undefined) return [];
      const x = this.x(atUs);
      const from = this.#barTop("client", client) + BAR;
      const y = row.top + (HEIGHT.store - 4) / 2;
      const says = this.#tokenText(token);
      if (what === "reject") {
        const d = `M${x} ${from}L${x} ${row.top - 1}L${x + 14} ${row.top - 22}`;
        return [
          svg("path", { class: `bounce of${client}`, d }),
          svg("path", { class: "no", d: `M${x - 4} ${row.top - 5}l8 8m0 -8l-8 8` }),
          this.#beside(atUs, y + 4, `${says} refused`, "refused"),
        ];
      }
      const ofToken = store === "fenced" ? says : "";
      const text = isLosing ? "update lost" : ofToken;
      const look = isLosing ? `write losing of${client}` : `write of${client}`;
      return [
        svg("line", { class: `access of${client}`, x1: x, y1: from, x2: x, y2: y }),
        svg("circle", { class: look, cx: x, cy: y, r: 5 }),
        ...(text === "" ? [] : [this.#beside(atUs, y + 4, text, isLosing ? "refused" : "token")]),
      ];
    });
  }

  /** A token by its rank among all tokens: they are too long to read. */
  #tokenText(token: number | undefined): string {
    return token === undefined ? "" : `#${this.#picture.tokens.indexOf(token) + 1}`;
  }

  #violations(): SVGElement[] {
    const bottom = heightOf(this.#rows);
    const { clients } = this.#picture;
    const beliefs = clients.flatMap((each) => each.beliefs);
    const shared = beliefs.flatMap((one, at) =>
      beliefs.slice(at + 1).flatMap((other) => {
        const fromUs = Math.max(one.fromUs, other.fromUs);
        const toUs = Math.min(one.toUs, other.toUs);
        if (fromUs >= toUs) return [];
        const [x, width] = [this.x(fromUs), this.x(toUs) - this.x(fromUs)];
        const height = HEIGHT.client * clients.length - 2;
        return [svg("rect", { class: "both", x, y: HEIGHT.top - 1, width, height })];
      }),
    );
    const { violations } = this.#played;
    const flags = violations.flatMap(({ id, atUs }, at) => {
      const x = this.x(atUs);
      const next = violations[at + 1];
      // Of two close to each other, the first is named to its left.
      const isClose = next !== undefined && this.x(next.atUs) - x < FLAG_PX;
      const beside = isClose ? { x: x - 3, "text-anchor": "end" } : { x: x + 3 };
      return [
        svg("line", { class: "violation", x1: x, y1: 12, x2: x, y2: bottom }),
        svg("text", { class: "violation", y: 12, ...beside }, id),
      ];
    });
    return [...shared, ...flags];
  }
}
