import { framed, roomFor, seriesOf, xExtent, Y_EXTENT } from "./frame.js";
import { linearScale, logScale, placeScale, shown } from "./scale.js";
import { element, px } from "../../pictures/svg.js";

export interface Line {
  readonly name: string;
  /** Position, value, and the value's range, by rising position. */
  readonly points: readonly LinePoint[];
}

export interface LinePoint {
  readonly x: number;
  readonly y: number;
  readonly min: number;
  readonly max: number;
}

export interface LinePlot {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly isLog: boolean;
  readonly lines: readonly Line[];
  /** Formats a position. Default: as a number. */
  readonly xLabel?: (x: number) => string;
}

/** Lines through medians, with bars for the ranges. Positions are equidistant. */
export function linePlot({ title, xTitle, yTitle, isLog, lines, xLabel }: LinePlot): string {
  const points = lines.flatMap((line) => line.points);
  const places = [...new Set(points.map(({ x }) => x))].toSorted((a, b) => a - b);
  const values = points.flatMap(({ min, max }) => [min, max]);
  const y = isLog ? logScale(values, Y_EXTENT) : linearScale(values, Y_EXTENT);
  const left = roomFor(y.ticks.map(shown));
  const x = placeScale(places, xExtent(left));
  const drawing = lines.map((line, index) => {
    const series = seriesOf(index);
    const at = line.points.map((point) => `${px(x.at(point.x))},${px(y.at(point.y))}`);
    const ranges = line.points.map(({ x: place, min, max }) => {
      const x1 = x.at(place);
      return element("line", {
        x1,
        x2: x1,
        y1: y.at(min),
        y2: y.at(max),
        class: `${series} stroke`,
        opacity: 0.5,
      });
    });
    const dots = line.points.map((point) =>
      element("circle", { cx: x.at(point.x), cy: y.at(point.y), r: 3, class: `${series} solid` }),
    );
    const path = { points: at.join(" "), class: `${series} stroke`, "stroke-width": 2 };
    return [element("polyline", path), ...ranges, ...dots].join("");
  });
  return framed({
    title,
    x: { title: xTitle, scale: x, label: xLabel ?? shown, hasGrid: false },
    y: { title: yTitle, scale: y, label: shown, hasGrid: true },
    left,
    names: lines.map(({ name }) => name),
    drawing,
  });
}
