import { budgetTables } from "./budget/tables.js";
import { coldTable } from "./cold/tables.js";
import { contendedTables } from "./contended/tables.js";
import { faultLatencyTable, faultLegend } from "./faults/tables.js";
import { heldTable } from "./held/tables.js";
import { inShort } from "./in-short.js";
import { SHAPES } from "./contended/plan.js";
import { handOverFile, plotsOf } from "./plots/index.js";
import { preamble } from "./report.js";
import { NOT_MEASURED, seriesIn, verdictsOf, type Results } from "./results.js";
import { serversTable } from "./servers/tables.js";
import { takeoverTable } from "./takeover/tables.js";
import { fillMarkers } from "./text/markers.js";
import { medianOnly } from "./text/table.js";
import { availabilityTable, cellTable, overviewTable } from "./uncontended/tables.js";
import { verdictTable } from "./verdict.js";
import { waitedTable } from "./waited/tables.js";
import { wideTable } from "./wide/tables.js";

/** docs/explain/performance.md with the medians of these results; its prose is unchanged. */
export function withFigures(page: string, results: Results): string {
  const uncontended = seriesIn(results, "uncontended");
  const budget = seriesIn(results, "budget");
  const contended = seriesIn(results, "contended");
  const faults = seriesIn(results, "faults");
  const held = seriesIn(results, "held");
  const waited = seriesIn(results, "waited");
  const takeover = seriesIn(results, "takeover");
  const cold = seriesIn(results, "cold");
  const wide = seriesIn(results, "wide");
  const servers = seriesIn(results, "servers");
  const plots = plotsOf(results);
  const plotsIn = (...files: readonly string[]): string =>
    plots
      .filter(({ file }) => files.includes(file))
      .map(({ file, caption }) => `\n\n![${caption}](../../bench/results/${file})`)
      .join("");
  const unlessEmpty = (series: readonly unknown[], text: () => string): string =>
    series.length === 0 ? NOT_MEASURED : text();
  return fillMarkers(page, {
    short: inShort(results),
    environment: preamble(results),
    targets: verdictTable(verdictsOf(results)),
    uncontended: unlessEmpty(
      uncontended,
      () =>
        `In brackets: CPU of client and nodes, µs per cycle.\n\n${overviewTable(uncontended)}\n\nFive nodes, 64 in flight; CPU and commands are per cycle:\n\n${cellTable({ nodeCount: 5, inFlight: 64 }, uncontended, medianOnly)}${plotsIn("cycles-1.svg", "cycles-5.svg")}`,
    ),
    budget: unlessEmpty(budget, () => budgetTables(budget, medianOnly)),
    availability: unlessEmpty(
      uncontended,
      () => `${availabilityTable(uncontended)}${plotsIn("cpu.svg")}`,
    ),
    contended: unlessEmpty(
      contended,
      () =>
        `${contendedTables(contended, medianOnly)}${plotsIn("waits.svg", ...SHAPES.map(handOverFile))}`,
    ),
    faults: unlessEmpty(
      faults,
      () => `${faultLegend()}\n\n${faultLatencyTable(faults, medianOnly)}${plotsIn("faults.svg")}`,
    ),
    held: unlessEmpty(held, () => heldTable(held, medianOnly)),
    waited: unlessEmpty(waited, () => waitedTable(waited, medianOnly)),
    takeover: unlessEmpty(takeover, () => takeoverTable(takeover, medianOnly)),
    cold: unlessEmpty(cold, () => coldTable(cold, medianOnly)),
    wide: unlessEmpty(wide, () => wideTable(wide, medianOnly)),
    servers: unlessEmpty(servers, () => serversTable(servers, medianOnly)),
  });
}
