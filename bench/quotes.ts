import { fillMarks, marksOf } from "../pages/marks.js";
import { coldTable } from "./cold/tables.js";
import { contentionName } from "./contended/contention.js";
import { MAIN_CONTENTION } from "./contended/plan.js";
import { missedTable } from "./missed.js";
import { spreadOf } from "./numbers/spread.js";
import {
  contentionTable,
  farTable,
  faultsPageTable,
  heldPageTable,
  nodesTable,
  speedTable,
  waitedPageTable,
} from "./page-tables.js";
import { FLOOR_FILE, plotsOf } from "./plots/index.js";
import { preamble } from "./report.js";
import { NOT_MEASURED, seriesIn, verdictsOf, type Results } from "./results.js";
import { DEFAULTS } from "../src/options/table.js";
import { format, medianOnly } from "./text/table.js";
import { cellName, isSameCell } from "./uncontended/cell.js";
import { FIVE_1, FIVE_64, SINGLE_1, SINGLE_64 } from "./uncontended/targets.js";

/** Marks of figures are `bench:` and a name. */
const PREFIX = "bench:";

/**
 * A page with the figures that it quotes.
 *
 * @throws Error for a mark whose figure is not known
 */
export function withFigures(page: string, results: Results): string {
  const texts: Record<string, string> = {};
  for (const mark of marksOf(page).filter((name) => name.startsWith(PREFIX))) {
    const text = FIGURES[mark.slice(PREFIX.length)];
    if (text === undefined) throw new Error(`there is no figure "${mark}"`);
    texts[mark] = text(results);
  }
  return fillMarks(page, texts);
}

type Figure = (results: Results) => string;

/** A part that was not measured has no table. */
const ofPart =
  (name: keyof Results, text: Figure): Figure =>
  (results) =>
    results[name] === undefined ? NOT_MEASURED : text(results);

function plot(results: Results, file: string): string {
  const found = plotsOf(results).find((each) => each.file === file);
  return found === undefined ? "" : `![${found.caption}](../../bench/results/${file})`;
}

/** The median of a figure that has a target. */
const judged =
  (where: string, figure: string, digits: number, unit = 1): Figure =>
  (results) => {
    const found = verdictsOf(results).find((one) => one.where === where && one.figure === figure);
    return found === undefined ? NOT_MEASURED : format(found.measured.median / unit, digits);
  };

const handOvers =
  (subjectName: string, of: "handOversPerSecond" | "jainIndex", digits: number): Figure =>
  (results) => {
    const found = seriesIn(results, "contended").find((one) => {
      const isMain = contentionName(one.contention) === contentionName(MAIN_CONTENTION);
      return isMain && one.subjectName === subjectName;
    });
    return format(spreadOf(found?.samples.map((sample) => sample[of]) ?? []).median, digits);
  };

const COLD_CELLS = [SINGLE_1, FIVE_1];

/** All that a page can quote. */
const FIGURES: Readonly<Record<string, Figure>> = {
  throughput: (results) => {
    const one = seriesIn(results, "uncontended").find(
      ({ subjectName, cell }) => subjectName === "quorate" && isSameCell(cell, FIVE_64),
    );
    return format(spreadOf(one?.samples.map((s) => s.cyclesPerSecond) ?? []).median, 0);
  },
  "throughput-ratio": judged(cellName(FIVE_64), "cycles/s / best peer", 1),
  "throughput-ratio-1": judged(cellName(SINGLE_64), "cycles/s / best peer", 1),
  "alone-ratio": judged(cellName(FIVE_1), "p50 / best peer", 1),
  "alone-ratio-1": judged(cellName(SINGLE_1), "p50 / best peer", 1),
  "held-cpu": judged("10,000 held locks", "client CPU, % of a core", 1),
  "held-heap": judged("10,000 held locks", "heap bytes per lock", 1, 1_000),
  "takeover-waiter": (results) => {
    const { series = [] } = results.takeover ?? {};
    const usual = series.find(({ clockStepMs }) => clockStepMs === DEFAULTS.clockStepMs);
    const ratios = usual?.samples.map(({ waiterMs }) => waiterMs / usual.ttlMs) ?? [];
    return format(spreadOf(ratios).median, 2);
  },
  takeover: judged("killed holder, clockStepMs 5000", "time to a new process's grant / ttl", 2),
  failed: judged("all faults", "failed acquires", 0),
  "hand-overs": handOvers("quorate", "handOversPerSecond", 0),
  "hand-overs-peer": handOvers("redis-semaphore", "handOversPerSecond", 0),
  jain: handOvers("quorate", "jainIndex", 2),
  "jain-peer": handOvers("redis-semaphore", "jainIndex", 2),
  machine: (results) => {
    if (results.uncontended === undefined) return NOT_MEASURED;
    const { environment, plan, date } = results.uncontended;
    const { node, server, cpu, packages } = environment;
    return `${date.slice(0, 10)}, ${cpu}, shared by client and nodes; Node ${node}, ${server}, ioredis ${packages["ioredis"]}, redlock ${packages["redlock"]}; medians of ${plan.rounds} interleaved rounds`;
  },
  environment: preamble,
  speeds: ofPart("uncontended", (results) => speedTable(results, ["quorate", "redlock", "raw"])),
  uncontended: ofPart("uncontended", (results) => {
    return `${speedTable(results)}\n\n${plot(results, FLOOR_FILE)}`;
  }),
  nodes: ofPart("uncontended", nodesTable),
  contended: ofPart("contended", (results) => {
    return `${contentionTable(results)}\n\n${plot(results, "waits.svg")}`;
  }),
  held: ofPart("held", (results) => `${heldPageTable(results)}\n\n${waitedPageTable(results)}`),
  faults: ofPart("faults", faultsPageTable),
  far: ofPart("wide", farTable),
  cold: ofPart("cold", (results) =>
    coldTable(
      seriesIn(results, "cold").filter(
        ({ cell, library }) =>
          library !== "ioredis" && COLD_CELLS.some((each) => isSameCell(each, cell)),
      ),
      medianOnly,
    ),
  ),
  missed: (results) => missedTable(verdictsOf(results)),
};
