// Entry point of the campaigns; started by `npm run chaos`.
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArguments, USAGE, type Arguments, type Order } from "./arguments.js";
import { runCampaign } from "./campaign.js";
import { readJournals } from "./history/journal.js";
import type { ChaosRecord } from "./history/records.js";
import { Progress } from "./progress.js";
import { publish, type Judged } from "./publish.js";
import { collect } from "./report/collect.js";
import { renderPage } from "./report/render.js";
import { figuresOf } from "./verdict/figures.js";
import { summaryOf } from "./verdict/summary.js";
import { rowOf, TABLE_HEAD } from "./verdict/table.js";
import { verdictOf } from "./verdict/verdict.js";

const BAD_ARGUMENTS = 3;
const HARNESS_FAILED = 3;
const INTERRUPTED = 130;

/** Used by this process alone, so that it can be removed whatever else is running. */
const SCRATCH_DIR = join(".tmp", "chaos-runs", String(process.pid));

async function main({ orders, again, isPublished }: Arguments): Promise<number> {
  const [first] = orders;
  if (again !== undefined) {
    const judged = conclude(readJournals([again]), first.report);
    if (isPublished) publish([judged], statSync(again).mtime, first.report);
    return judged.verdict.exitCode;
  }
  const interrupt = onInterrupt();
  const rows: string[] = [];
  const campaigns: Judged[] = [];
  let worst = 0;
  try {
    for (const order of orders) {
      if (interrupt.aborted) break;
      const judged = conclude(await run(order, interrupt), order.report);
      const { exitCode } = judged.verdict;
      const row = rowOf(judged.settings, judged.figures, judged.verdict);
      if (orders.length > 1) console.log(`\n${TABLE_HEAD}\n${row}\n`);
      rows.push(row);
      campaigns.push(judged);
      // A broken safety promise (1) is worse than a broken liveness promise (2).
      worst = worst === 1 || exitCode === 0 ? worst : exitCode;
    }
  } finally {
    // Also if the series breaks off.
    if (orders.length > 1) console.log([TABLE_HEAD, ...rows].join("\n"));
  }
  if (isPublished && !interrupt.aborted) {
    publish(campaigns, new Date(), orders.at(-1)?.report ?? first.report);
  }
  if (interrupt.aborted) console.log("interrupted: what comes after the faults was not judged");
  return worst === 0 && interrupt.aborted ? INTERRUPTED : worst;
}

/** Runs a campaign, and saves its history next to its page. */
async function run({ settings, report }: Order, signal: AbortSignal): Promise<ChaosRecord[]> {
  const progress = new Progress(settings);
  const records = await runCampaign(settings, {
    scratchDir: SCRATCH_DIR,
    signal,
    onView: (view) => progress.show(view),
  }).finally(() => progress.clear());
  const history = `${report.replace(/\.html$/, "")}.ndjson`;
  mkdirSync(dirname(report), { recursive: true });
  writeFileSync(history, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return records;
}

/** Judges a history, prints the summary, and writes the page. */
function conclude(records: readonly ChaosRecord[], report: string): Judged {
  const settings = records.find((record) => record.kind === "run")?.settings;
  if (settings === undefined) throw new Error("this is no history of a campaign");
  const verdict = verdictOf(records, settings);
  const figures = figuresOf(records, settings);
  mkdirSync(dirname(report), { recursive: true });
  writeFileSync(report, renderPage(collect(records, settings, figures, verdict)));
  console.log(summaryOf(settings, figures, verdict));
  console.log(`report     ${report} (its history is beside it, as .ndjson)`);
  return { settings, figures, verdict };
}

/** The first Ctrl-C ends the campaign early; a second one, a moment later, ends the process. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  let firstMs = 0;
  const interrupt = (): void => {
    // The launcher also forwards what the terminal has already sent here: that still counts as the first.
    if (controller.signal.aborted && performance.now() - firstMs > 500) {
      removeScratch();
      process.exit(INTERRUPTED);
    }
    firstMs ||= performance.now();
    if (!controller.signal.aborted) console.error("\nending; once more ends it at once");
    controller.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, interrupt);
  return controller.signal;
}

function removeScratch(): void {
  rmSync(SCRATCH_DIR, { recursive: true, force: true });
}

if (process.argv.includes("--help")) {
  console.log(USAGE);
  process.exit(0);
}
let parsed: Arguments;
try {
  parsed = parseArguments(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exit(BAD_ARGUMENTS);
}
try {
  process.exitCode = await main(parsed);
  // Not after a failure: the files left behind may show what went wrong.
  removeScratch();
} catch (error) {
  console.error("the harness failed:", error);
  process.exitCode = HARNESS_FAILED;
}
