import { budgetTables } from "./budget/tables.js";
import { coldTable } from "./cold/tables.js";
import { contendedTables } from "./contended/tables.js";
import { faultAftermathTable, faultLatencyTable, faultLegend } from "./faults/tables.js";
import { featuresTable } from "./features/tables.js";
import { heldTable } from "./held/tables.js";
import { observedTable } from "./observed/tables.js";
import { plotsOf } from "./plots/index.js";
import { PART_NAMES, type PartName } from "./plan.js";
import { verdictsOf, type Measured, type Results } from "./results.js";
import { permitsTable } from "./permits/tables.js";
import { serversTable } from "./servers/tables.js";
import { takeoverTable } from "./takeover/tables.js";
import { availabilityTable, cellTables, overviewTable } from "./uncontended/tables.js";
import { verdictTable } from "./verdict.js";
import { waitedTable } from "./waited/tables.js";
import { wideTable } from "./wide/tables.js";

/** The section of each part. Figures have their ranges here; on the page they are medians. */
const SECTIONS: { readonly [Name in PartName]: (measured: Measured<Name>) => string } = {
  uncontended: uncontendedReport,
  budget: ({ series }) => `### CPU budget\n\n${budgetTables(series)}`,
  contended: ({ series }) => `### Contended\n\n${contendedTables(series)}`,
  held: ({ series }) => `### Held locks\n\n${heldTable(series)}`,
  waited: ({ series }) => `### Waiting for names\n\n${waitedTable(series)}`,
  permits: ({ series }) => `### Permits\n\n${permitsTable(series)}`,
  observed: ({ series }) => `### Observers of one name\n\n${observedTable(series)}`,
  features: ({ series }) => `### Features in use\n\n${featuresTable(series)}`,
  takeover: ({ series }) => `### Crashed holders\n\n${takeoverTable(series)}`,
  cold: ({ series }) => `### Cold start\n\n${coldTable(series)}`,
  wide: ({ series }) => `### Wide area\n\n${wideTable(series)}`,
  servers: ({ series }) => `### Other servers\n\n${serversTable(series)}`,
  faults: faultsReport,
};

/** The report for people; targets come last. */
export function report(results: Results): string {
  const section = <Name extends PartName>(name: Name, measured?: Measured<Name>): string[] =>
    measured === undefined ? [] : [SECTIONS[name](measured)];
  const verdicts = verdictsOf(results);
  const sections = [
    `## Benchmark\n\n${preamble(results)}`,
    ...PART_NAMES.flatMap((name) => section(name, results[name])),
    ...plotsOf(results).map(({ file, caption }) => `![${caption}](${file})`),
    ...(verdicts.length === 0 ? [] : [`### Targets\n\n${verdictTable(verdicts)}`]),
  ];
  return `${sections.join("\n\n")}\n`;
}

/** Where and how it was measured. */
export function preamble(results: Results): string {
  const { uncontended } = results;
  const how =
    uncontended === undefined
      ? ""
      : ` Uncontended: ${uncontended.plan.rounds} rounds of ${uncontended.plan.measureMs} ms.`;
  return `${placesOf(results)}
Clients and servers share the CPU. Every run is a separate process; rounds interleave the subjects.
Figures are medians of the rounds (minimum to maximum).${how}`;
}

/** What was measured by which command, in one item for each place and day. */
function placesOf(results: Results): string {
  const places = new Map<string, PartName[]>();
  for (const name of PART_NAMES) {
    const place = placeOf(results[name]);
    if (place !== undefined) places.set(place, [...(places.get(place) ?? []), name]);
  }
  return [...places]
    .map(([place, names]) => {
      return `- ${names.map((name) => `\`--part ${name}\``).join(", ")}: ${place}\n`;
    })
    .join("");
}

function placeOf(
  measured: Pick<Measured<PartName>, "date" | "environment"> | undefined,
): string | undefined {
  if (measured === undefined) return undefined;
  const { date, environment } = measured;
  const { node, server, os, cpu, packages } = environment;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return `${date.slice(0, 10)}; Node ${node}, ${server}, ${versions.join(", ")}; ${os}, ${cpu}.`;
}

function uncontendedReport({ series }: Measured<"uncontended">): string {
  return `### Uncontended: cycles of acquire and release

CPU and commands are per cycle.

${cellTables(series)}

#### all cells

${overviewTable(series)}

#### cost of more nodes

${availabilityTable(series)}`;
}

function faultsReport({ series, plan }: Measured<"faults">): string {
  return `### Faults: ${plan.nodeCount} nodes, some of them faulty, ${plan.cyclesPerSecond} cycles/s

${faultLatencyTable(series)}

${faultAftermathTable(series)}

${faultLegend()}`;
}
