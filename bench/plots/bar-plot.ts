import { framed, roomFor, seriesOf, xExtent, Y_EXTENT } from "./frame.js";
import { linearScale, placeScale, shown } from "./scale.js";
import type { Spread } from "../numbers/spread.js";
import { element, text } from "../../pictures/svg.js";

export interface BarPlot {
  readonly title: string;
  /** What the bars measure. */
  readonly valueTitle: string;
  /** The names of the bars in every group. */
  readonly names: readonly string[];
  readonly groups: readonly { readonly name: string; readonly values: readonly Spread[] }[];
  /** A value that no bar can be below: a line across all groups. */
  readonly floor?: { readonly name: string; readonly value: number };
}

/** Share of a group's height that is filled by its bars. */
const FILLED = 0.7;

/** Groups of bars: medians, with lines for the ranges. */
export function barPlot({ title, valueTitle, names, groups, floor }: BarPlot): string {
  const places = groups.map((_, index) => index);
  const y = placeScale(places, { from: Y_EXTENT.to, to: Y_EXTENT.from });
  const maxima = groups.flatMap(({ values }) => values.map(({ max }) => max));
  const left = roomFor(groups.map(({ name }) => name));
  const x = linearScale(maxima, xExtent(left));
  const height = (FILLED * (Y_EXTENT.from - Y_EXTENT.to)) / groups.length / names.length;
  const drawing = groups.flatMap(({ values }, group) =>
    values.map(({ median, min, max }, index) => {
      const top = y.at(group) + (index - values.length / 2) * height;
      const bar = { x: x.at(0), y: top, width: x.at(median) - x.at(0), height: height - 1 };
      const middle = top + (height - 1) / 2;
      const range = { x1: x.at(min), x2: x.at(max), y1: middle, y2: middle, class: "ink stroke" };
      return (
        element("rect", { ...bar, class: `${seriesOf(index)} solid` }) + element("line", range)
      );
    }),
  );
  if (floor !== undefined) {
    const at = x.at(floor.value);
    const line = { x1: at, x2: at, y1: Y_EXTENT.to, y2: Y_EXTENT.from, class: "ink stroke" };
    drawing.push(
      element("line", { ...line, "stroke-width": 2, "stroke-dasharray": "4 3" }),
      text(floor.name, at, Y_EXTENT.to - 6, { class: "soft", "font-size": 11 }),
    );
  }
  return framed({
    title,
    x: {
      title: valueTitle,
      scale: x,
      label: shown,
      hasGrid: true,
    },
    y: { title: "", scale: y, label: (index) => groups[index]?.name ?? "", hasGrid: false },
    left,
    names,
    drawing,
  });
}
