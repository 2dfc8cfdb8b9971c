import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./broken-code.js";
import { writePin } from "./pins.js";
import { resultsPage } from "./results-page.js";
import { isTested, type Pin, type Row } from "./row.js";
import { runMutants, type Result } from "./run-mutants.js";
import type { Effort } from "./runner.js";
import { TABLES } from "./tables/index.js";

/**
 * `npm run mutants`: runs all rows or those named, as the tests do. With `--search` it searches all of their seeds
 * anew and writes what it finds into the tables and the page; with `--repair` only where a pin does not hold any
 * more. With `--page` it only writes the page.
 */

const args = process.argv.slice(2);
const efforts: readonly Effort[] = args.includes("--search")
  ? ["search"]
  : ["pin", "few", ...(args.includes("--repair") ? (["search"] as const) : [])];
const isForGood = efforts.includes("search");
const names = args.filter((arg) => !arg.startsWith("-"));
const rows = new Map(
  Object.entries(TABLES).flatMap(([table, its]) => its.map((row) => [row, table] as const)),
);
const unknown = names.filter((name) => ![...rows.keys()].some(({ id }) => id === name));
const options = ["--search", "--repair", "--page"];
const strange = args.filter((arg) => arg.startsWith("-") && !options.includes(arg));
if (unknown.length + strange.length > 0) {
  console.error(`unknown: ${[...unknown, ...strange].join(", ")}`);
  process.exit(64);
}

const pins = new Map<Row, Pin | undefined>(
  [...rows.keys()].map((row) => [row, isTested(row) ? undefined : row.pin]),
);
if (!args.includes("--page")) await run();
if (isForGood || args.includes("--page")) {
  writeFileSync(join(ROOT, "docs/internals/mutants.md"), resultsPage(pins));
}

async function run(): Promise<void> {
  const chosen = [...rows.keys()].filter(({ id }) => names.length === 0 || names.includes(id));
  const startMs = performance.now();
  let count = 0;
  await runMutants(
    chosen,
    () => efforts,
    (row, result) => {
      console.log(`${row.id}: ${inWords(result)}`);
      if (!("error" in result) && result.isNoticed) count++;
      else if ("error" in result || result.isSkipped !== true) process.exitCode = 1;
      if (!isForGood || isTested(row) || "error" in result || isSame(row.pin, result.pin)) return;
      pins.set(row, result.pin);
      writePin(rows.get(row) ?? "", row.id, result.pin);
    },
  );
  const seconds = Math.round((performance.now() - startMs) / 1_000);
  console.log(`${count} of ${chosen.length} noticed, in ${seconds} s`);
}

/** Whether it is the same run, however long it took. */
function isSame(a: Pin | undefined, b: Pin | undefined): boolean {
  return a?.where === b?.where && a?.seed === b?.seed && a?.timing === b?.timing;
}

function inWords(result: Result): string {
  if ("error" in result) return `ERROR ${result.error}`;
  const { isNoticed, isSkipped, pin, by, runCount, notes } = result;
  if (isSkipped === true) return "not run: its test is skipped here";
  const also = notes.length > 0 ? ` (${notes.join(", ")})` : "";
  if (!isNoticed) return `NOT NOTICED in ${runCount} runs${also}`;
  const where = pin === undefined ? "" : ` in run ${runCount}: ${JSON.stringify(pin)}`;
  return `noticed by ${by.join(", ")}${where}${also}`;
}
