import { PROFILES } from "../profiles.js";
import { runHashes, totalHash } from "../run-hash.js";
import { runTasks, tasksOf } from "./run-tasks.js";
import { EXIT_CODE } from "./exit-code.js";
import { interruption } from "./interruption.js";
import { Progress } from "./progress.js";
import { reportFailures } from "./report-failures.js";
import {
  parseSimulateArguments,
  SIMULATE_USAGE,
  type SimulateArguments,
} from "./simulate-arguments.js";
import { EVENTS, isSafety, type Tally } from "./tally.js";

/** Minimum number of runs of a profile before a rare event is reported as missing. */
const ENOUGH_RUNS = 100;

/** `npm run simulate`; resolves to the exit code. */
export async function simulateMain(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help")) {
    console.log(SIMULATE_USAGE);
    return EXIT_CODE.fine;
  }
  if (argv.includes("--hash")) {
    const hashes = await runHashes();
    for (const [profile, hash] of hashes) console.log(`${hash}  ${profile}`);
    console.log(`${totalHash(hashes)}  in total`);
    return EXIT_CODE.fine;
  }
  let given: SimulateArguments;
  try {
    given = parseSimulateArguments(argv);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${SIMULATE_USAGE}`);
    return EXIT_CODE.nothingShown;
  }
  const progress = new Progress(given.runCount);
  const { signal, stop } = interruption();
  let total: Tally;
  try {
    const onProgress = (tally: Tally): void => progress.draw(tally);
    total = await runTasks(tasksOf(given), given.jobCount, onProgress, signal);
  } catch (error) {
    progress.clear();
    console.error(`the campaign broke off: ${(error as Error).message}`);
    return EXIT_CODE.nothingShown;
  } finally {
    stop();
  }
  progress.clear();
  if (signal.aborted)
    console.error(`stopped after ${total.runCount} of ${given.runCount} scenarios`);
  tell(total, progress);
  await reportFailures(total.failures, given.outDir);
  if (signal.aborted && total.failures.length === 0) return EXIT_CODE.interrupted;
  return exitCode(total, missing(total, given));
}

function tell(total: Tally, progress: Progress): void {
  const { runCount, eventCount, marginUs, seen, failures } = total;
  const seconds = progress.seconds.toFixed(0);
  console.log(
    `${runCount} scenarios, ${eventCount} events in ${seconds} s: ${progress.rate(total)}`,
  );
  if (marginUs !== null) {
    const ms = (marginUs / 1_000).toFixed(3);
    console.log(
      `smallest safety margin ${ms} ms: from the end of a belief to the first free quorum`,
    );
  }
  console.log(`scenarios in which it happened:`);
  for (const what of EVENTS) console.log(`  ${what.padEnd(22)} ${String(seen[what]).padStart(8)}`);
  console.log(`${failures.length} scenarios broke a promise`);
}

/** Events that should have occurred and did not. A few runs, or a subset of the profiles, may miss any of them. */
function missing({ seen, runCount }: Tally, { profiles }: SimulateArguments): string[] {
  const isWhole = PROFILES.every((profile) => profiles.includes(profile));
  if (!isWhole || runCount < ENOUGH_RUNS * PROFILES.length) return [];
  return EVENTS.filter((what) => seen[what] === 0);
}

function exitCode({ failures }: Tally, never: readonly string[]): number {
  if (failures.some(({ first }) => isSafety(first.id))) return EXIT_CODE.unsafe;
  if (failures.length > 0) return EXIT_CODE.stuck;
  if (never.length === 0) return EXIT_CODE.fine;
  console.error(`never happened: ${never.join(", ")}`);
  return EXIT_CODE.nothingShown;
}
