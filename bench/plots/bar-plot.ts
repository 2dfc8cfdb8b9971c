import { colorOf, framed, X_EXTENT, Y_EXTENT } from "./frame.js";
import { linearScale, placeScale } from "./scale.js";
import type { Spread } from "../numbers/spread.js";
import { element } from "./svg.js";

export interface BarPlot {
  readonly title: string;
  readonly yTitle: string;
  /** What stands side by side in every group. */
  readonly names: readonly string[];
  readonly groups: readonly { readonly name: string; readonly values: readonly Spread[] }[];
}

/** Share of a group's width that its bars take. */
const FILLED = 0.7;

/** Groups of bars: medians, with lines for the ranges. */
export function barPlot({ title, yTitle, names, groups }: BarPlot): string {
  const places = groups.map((_, index) => index);
  const x = placeScale(places, X_EXTENT);
  const maxima = groups.flatMap(({ values }) => values.map(({ max }) => max));
  const y = linearScale(maxima, Y_EXTENT);
  const width = (FILLED * (X_EXTENT.to - X_EXTENT.from)) / groups.length / names.length;
  const drawing = groups.flatMap(({ values }, group) =>
    values.map(({ median, min, max }, index) => {
      const left = x.at(group) + (index - values.length / 2) * width;
      const top = y.at(median);
      const bar = { x: left, y: top, width: width - 1, height: y.at(0) - top };
      const middle = left + width / 2;
      const range = { x1: middle, x2: middle, y1: y.at(min), y2: y.at(max), stroke: "#333" };
      return element("rect", { ...bar, fill: colorOf(index) }) + element("line", range);
    }),
  );
  return framed(
    title,
    { title: "", scale: x, label: (index) => groups[index]?.name ?? "" },
    { title: yTitle, scale: y, label: (value) => value.toLocaleString("en-US") },
    names,
    drawing,
  );
}
