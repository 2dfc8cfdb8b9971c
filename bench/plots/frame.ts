import { element, svgFile, text } from "../../pictures/svg.js";
import type { Extent, Scale } from "./scale.js";

/** The width of a phone, so that the text is readable there without zooming. */
const WIDTH = 420;
const RIGHT = WIDTH - 12;
const TITLE_SIZE = 14;
const TITLE_LINE = 19;
/** Maximum characters per line of the title. */
const TITLE_LENGTH = 48;
const LEGEND_LINE = 21;
const LEGEND_COLUMNS = 2;

const AREA = { top: 76, bottom: 346 } as const;

/** Values grow upwards. */
export const Y_EXTENT: Extent = { from: AREA.bottom, to: AREA.top };

/** The horizontal extent of the drawing, to the right of the row labels. */
export const xExtent = (left: number): Extent => ({ from: left, to: RIGHT });

/** Room for the row labels: where the drawing begins. */
export function roomFor(labels: readonly string[]): number {
  const longest = Math.max(...labels.map(({ length }) => length));
  return 14 + longest * TICK_CHARACTER;
}

/**
 * Colors on light and on dark. Distinguishable with color blindness (Okabe and Ito; on dark, lighter ones), and grey
 * for raw subjects.
 */
const COLORS: readonly (readonly [light: string, dark: string])[] = [
  ["#0072b2", "#2f8fd6"],
  ["#56b4e9", "#7dbde6"],
  ["#d55e00", "#ff8a4c"],
  ["#e69f00", "#f5c04a"],
  ["#cc79a7", "#e3a3c8"],
  ["#009e73", "#35c99c"],
  ["#777", "#8b949e"],
  ["#aaa", "#c9d1d9"],
  ["#000", "#fff"],
];

/** The class of what belongs to a series: it has its color. */
export const seriesOf = (index: number): string => `series-${index % COLORS.length}`;

const colors = (at: 0 | 1): string =>
  COLORS.map((pair, index) => `.${seriesOf(index)}{--line:${pair[at]}}`).join("");

const STYLE = `${colors(0)}\n@media (prefers-color-scheme:dark){${colors(1)}}`;
/** Of titles, as large as the legend. */
const FONT_SIZE = 12.5;

/** Small enough for ten ticks side by side. */
const TICK_SIZE = 11;
const TICK_CHARACTER = 6.2;

export interface Axis {
  readonly title: string;
  readonly scale: Scale;
  /** Formats a tick. */
  readonly label: (value: number) => string;
  /** Its ticks are lines across the plot. */
  readonly hasGrid: boolean;
}

export interface Framed {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Left edge of the drawing. */
  readonly left: number;
  /** The names of the colors, in their order. */
  readonly names: readonly string[];
  readonly drawing: readonly string[];
}

/** A plot's title and axes around its drawing, with the legend below. */
export function framed({ title, x, y, left, names, drawing }: Framed): string {
  const legendTop = AREA.bottom + (x.title === "" ? 44 : 62);
  const rows = Math.ceil(names.length / LEGEND_COLUMNS);
  const height = legendTop + rows * LEGEND_LINE;
  return svgFile(
    { title, width: WIDTH, height, fontSize: FONT_SIZE, style: STYLE },
    ...linesOf(title).map((line, index) =>
      text(line, 12, 24 + index * TITLE_LINE, { "font-size": TITLE_SIZE, "font-weight": 600 }),
    ),
    ...x.scale.ticks.map((tick) => xTick(x, tick)),
    ...y.scale.ticks.map((tick) => yTick(y, tick, left)),
    text(x.title, (left + RIGHT) / 2, AREA.bottom + 38, { "text-anchor": "middle" }),
    text(y.title, left, AREA.top - 10, { class: "soft" }),
    ...drawing,
    ...names.map((name, index) => legendEntry(name, index, legendTop, rows)),
  );
}

/** Wraps a text at words. */
function linesOf(title: string): string[] {
  return title.split(" ").reduce<string[]>((lines, word) => {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > TITLE_LENGTH) return [...lines, word];
    return [...lines.slice(0, -1), `${last} ${word}`];
  }, []);
}

function xTick({ scale, label, hasGrid }: Axis, tick: number): string {
  const x = scale.at(tick);
  const line = { x1: x, x2: x, y1: AREA.top, y2: AREA.bottom, class: "rule" };
  const at = { "text-anchor": "middle", "font-size": TICK_SIZE };
  const shown = label(tick);
  // The last one would be cut off.
  const place = Math.min(x, WIDTH - 5 - (shown.length * TICK_CHARACTER) / 2);
  return (hasGrid ? element("line", line) : "") + text(shown, place, AREA.bottom + 18, at);
}

function yTick({ scale, label, hasGrid }: Axis, tick: number, left: number): string {
  const y = scale.at(tick);
  const line = { x1: left, x2: RIGHT, y1: y, y2: y, class: "rule" };
  const at = { "text-anchor": "end", "font-size": TICK_SIZE };
  return (hasGrid ? element("line", line) : "") + text(label(tick), left - 8, y + 4, at);
}

/** Column by column, so that related names stay together. */
function legendEntry(name: string, index: number, top: number, rows: number): string {
  const x = 12 + Math.floor(index / rows) * ((WIDTH - 12) / LEGEND_COLUMNS);
  const y = top + (index % rows) * LEGEND_LINE;
  const mark = { x, y: y - 10, width: 12, height: 12, class: `${seriesOf(index)} solid` };
  return element("rect", mark) + text(name, x + 18, y);
}
