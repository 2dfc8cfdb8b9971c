// Entry of the campaigns; started by `npm run chaos`.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArguments, USAGE, type Arguments } from "./arguments.js";
import { runCampaign } from "./campaign.js";
import { readJournals } from "./history/journal.js";
import type { ChaosRecord } from "./history/records.js";
import { Progress } from "./progress.js";
import { collect } from "./report/collect.js";
import { renderPage } from "./report/render.js";
import { figuresOf } from "./verdict/figures.js";
import { summaryOf } from "./verdict/summary.js";
import { verdictOf } from "./verdict/verdict.js";

const HARNESS_FAILED = 3;
const INTERRUPTED = 130;

async function main({ settings, again, report }: Arguments): Promise<number> {
  if (again !== undefined) return conclude(readJournals([again]), report);
  const interrupt = onInterrupt();
  const progress = new Progress(settings);
  const records = await runCampaign(settings, {
    scratchDir: join(".tmp", "chaos-runs"),
    signal: interrupt,
    onView: (view) => progress.show(view),
  }).finally(() => progress.clear());
  const history = `${report.replace(/\.html$/, "")}.ndjson`;
  mkdirSync(dirname(report), { recursive: true });
  writeFileSync(history, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const exitCode = conclude(records, report);
  console.log(`history    ${history}`);
  return exitCode === 0 && interrupt.aborted ? INTERRUPTED : exitCode;
}

/** Judges a history, tells what it came to, and makes the page. */
function conclude(records: readonly ChaosRecord[], report: string): number {
  const settings = records.find((record) => record.kind === "run")?.settings;
  if (settings === undefined) throw new Error("this is no history of a campaign");
  const verdict = verdictOf(records, settings);
  const figures = figuresOf(records, settings);
  mkdirSync(dirname(report), { recursive: true });
  writeFileSync(report, renderPage(collect(records, settings, figures, verdict)));
  console.log(summaryOf(settings, figures, verdict));
  console.log(`report     ${report}`);
  return verdict.exitCode;
}

/** The first Ctrl-C ends the campaign early; one more, a moment later, ends the process. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  let firstMs = 0;
  const interrupt = (): void => {
    // The launcher passes on what the terminal has sent here already: that is still the first.
    if (controller.signal.aborted && performance.now() - firstMs > 500) process.exit(INTERRUPTED);
    firstMs ||= performance.now();
    controller.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, interrupt);
  return controller.signal;
}

let parsed: Arguments;
try {
  parsed = parseArguments(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exit(HARNESS_FAILED);
}
try {
  process.exitCode = await main(parsed);
} catch (error) {
  console.error("the harness failed:", error);
  process.exitCode = HARNESS_FAILED;
}
