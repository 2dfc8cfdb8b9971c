import { PROFILES } from "../profiles.js";
import { runHash } from "../run-hash.js";
import { runTasks, tasksOf } from "./campaign.js";
import { Progress } from "./progress.js";
import { reportFailures } from "./report-failures.js";
import {
  parseSimulateArguments,
  SIMULATE_USAGE,
  type SimulateArguments,
} from "./simulate-arguments.js";
import { EVENTS, type Tally } from "./tally.js";

/** Exit codes. Safety is worse than liveness, whatever came first. */
const FINE = 0;
const UNSAFE = 1;
const STUCK = 2;
const HARNESS = 3;

/** Runs a profile in which something may be rare must have had before it is missed. */
const ENOUGH_RUNS = 100;

/** `npm run simulate`; resolves to the exit code. */
export async function simulateMain(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help")) {
    console.log(SIMULATE_USAGE);
    return FINE;
  }
  if (argv.includes("--hash")) {
    console.log(await runHash());
    return FINE;
  }
  let given: SimulateArguments;
  try {
    given = parseSimulateArguments(argv);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${SIMULATE_USAGE}`);
    return HARNESS;
  }
  const progress = new Progress(given.runCount);
  let total: Tally;
  try {
    total = await runTasks(tasksOf(given), given.jobCount, (tally) => progress.draw(tally));
  } catch (error) {
    progress.clear();
    console.error(`the campaign broke off: ${(error as Error).message}`);
    return HARNESS;
  }
  progress.clear();
  tell(total, progress);
  await reportFailures(total.failures, given.outDir);
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

/** What ought to have happened and has not; nothing may be missed of a few runs, or some profiles. */
function missing({ seen }: Tally, { runCount, profiles }: SimulateArguments): string[] {
  const isWhole = PROFILES.every((profile) => profiles.includes(profile));
  if (!isWhole || runCount < ENOUGH_RUNS * PROFILES.length) return [];
  return EVENTS.filter((what) => seen[what] === 0);
}

function exitCode({ failures }: Tally, never: readonly string[]): number {
  if (failures.some(({ first }) => !first.id.startsWith("L"))) return UNSAFE;
  if (failures.length > 0) return STUCK;
  if (never.length === 0) return FINE;
  console.error(`never happened: ${never.join(", ")}`);
  return HARNESS;
}
