import { element, svgFile, text } from "./svg.js";
import type { Extent, Scale } from "./scale.js";

const WIDTH = 880;
const HEIGHT = 400;
const AREA = { left: 70, right: 690, top: 50, bottom: 345 } as const;

/** Where a plot draws. Values grow to the right and upwards. */
export const X_EXTENT: Extent = { from: AREA.left, to: AREA.right };
export const Y_EXTENT: Extent = { from: AREA.bottom, to: AREA.top };

/** Distinct also for those who see few colours (Okabe and Ito), and grey for what is raw. */
const COLORS = [
  "#0072b2",
  "#56b4e9",
  "#d55e00",
  "#e69f00",
  "#cc79a7",
  "#009e73",
  "#777",
  "#aaa",
  "#000",
];

export const colorOf = (index: number): string => COLORS[index % COLORS.length] ?? "#000";

/** Small enough for eight names side by side. */
const X_TICK_TEXT = { "text-anchor": "middle", "font-size": 11 };

export interface Axis {
  readonly title: string;
  readonly scale: Scale;
  /** How a tick is written. */
  readonly label: (value: number) => string;
}

/** A plot's title, axes and legend around what it draws. */
export function framed(
  title: string,
  x: Axis,
  y: Axis,
  names: readonly string[],
  drawing: readonly string[],
): string {
  return svgFile(
    title,
    WIDTH,
    HEIGHT,
    text(title, AREA.left, 26, { "font-size": 15, "font-weight": 600 }),
    ...y.scale.ticks.map((tick) => yTick(y, tick)),
    ...x.scale.ticks.map((tick) =>
      text(x.label(tick), x.scale.at(tick), AREA.bottom + 18, X_TICK_TEXT),
    ),
    text(x.title, (AREA.left + AREA.right) / 2, AREA.bottom + 40, { "text-anchor": "middle" }),
    text(y.title, AREA.left, AREA.top - 8, { fill: "#666" }),
    ...drawing,
    ...names.map(legendLine),
  );
}

function yTick({ scale, label }: Axis, tick: number): string {
  const y = scale.at(tick);
  const line = { x1: AREA.left, x2: AREA.right, y1: y, y2: y, stroke: "#e4e4e4" };
  return element("line", line) + text(label(tick), AREA.left - 8, y + 4, { "text-anchor": "end" });
}

function legendLine(name: string, index: number): string {
  const y = AREA.top + 8 + index * 20;
  const mark = { x: AREA.right + 20, y: y - 9, width: 12, height: 12, fill: colorOf(index) };
  return element("rect", mark) + text(name, AREA.right + 40, y + 2);
}
