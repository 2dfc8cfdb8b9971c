import { coldTable } from "./cold/tables.js";
import { contendedTables } from "./contended/tables.js";
import { faultAftermathTable, faultLatencyTable, faultLegend } from "./faults/tables.js";
import { heldTable } from "./held/tables.js";
import { verdictsOf, type Results } from "./results.js";
import { availabilityTable, cellTables, overviewTable } from "./uncontended/tables.js";
import { verdictTable } from "./verdict.js";
import { waitedTable } from "./waited/tables.js";

/** The report for people; what has a target comes last. */
export function report(results: Results): string {
  const { uncontended, contended, faults, held, waited, cold } = results;
  const sections = [
    `## Benchmark\n\n${preamble(results)}`,
    ...(uncontended.length === 0 ? [] : [uncontendedReport(results)]),
    ...(contended.length === 0 ? [] : [`### Contended\n\n${contendedTables(contended)}`]),
    ...(faults.length === 0 ? [] : [faultsReport(results)]),
    ...(held.length === 0 ? [] : [`### Held locks\n\n${heldTable(held)}`]),
    ...(waited.length === 0 ? [] : [`### Names waited for\n\n${waitedTable(waited)}`]),
    ...(cold.length === 0 ? [] : [`### Cold start\n\n${coldTable(cold)}`]),
    `### Targets\n\n${verdictTable(verdictsOf(results))}`,
  ];
  return `${sections.join("\n\n")}\n`;
}

/** Where and how it was measured. */
export function preamble({ date, environment, plan }: Results): string {
  const { node, redis, os, cpu, packages } = environment;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const { uncontended } = plan;
  const how =
    uncontended === undefined
      ? ""
      : `\nUncontended: ${uncontended.rounds} rounds of ${uncontended.measureMs} ms after ${uncontended.warmUpMs} ms of warm-up.`;
  return `${date.slice(0, 10)}; Node ${node}, Redis ${redis}, ${versions.join(", ")}; ${os}, ${cpu}.
Clients and servers share the processor. Every run is a process of its own; rounds interleave the
subjects. Median of the rounds (lowest to highest).${how}`;
}

function uncontendedReport({ uncontended }: Results): string {
  return `### Uncontended: cycles of acquire and release

CPU and commands are per cycle.

${cellTables(uncontended)}

#### all cells

${overviewTable(uncontended)}

#### what more nodes cost quorate

${availabilityTable(uncontended)}`;
}

function faultsReport({ faults, plan }: Results): string {
  return `### Faults: ${plan.faults?.nodeCount} nodes, some of them struck, ${plan.faults?.cyclesPerSecond} cycles/s

${faultLatencyTable(faults)}

${faultAftermathTable(faults)}

${faultLegend()}`;
}
