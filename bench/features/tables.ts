import { seriesTable, type Column, type Show } from "../text/table.js";
import type { FeaturesSeries } from "./run.js";
import { speedWith, type FeaturesSample } from "./sample.js";

const COLUMNS: readonly Column<FeaturesSample>[] = [
  { of: ({ used }) => used.cyclesPerSecond, title: "cycles/s", digits: 0 },
  { of: ({ used }) => used.clientUs, title: "client CPU, µs per cycle", digits: 1 },
  { of: ({ used }) => used.scriptsUs, title: "scripts of all nodes, µs per cycle", digits: 1 },
  { of: speedWith, title: "speed / without", digits: 3 },
];

export function featuresTable(series: readonly FeaturesSeries[], show?: Show): string {
  const rows = series.map(({ feature, samples }) => ({ titles: [feature], samples }));
  return seriesTable(["in use"], COLUMNS, rows, show);
}
