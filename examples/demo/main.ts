// The demo: five Redis servers die and come back under two services that share a lock. It checks
// what it shows; exit code 0 says that all of it was really seen.
import { NotSeenError } from "./checklist.js";
import { RECORD_FILE } from "./settings.js";
import { Stage } from "./stage.js";
import { play } from "./story.js";
import { LiveShow } from "./view/live-show.js";
import { isLive, PlainShow } from "./view/plain-show.js";
import { Recording } from "./view/recording.js";

/** SIGHUP is left to its default: with the terminal gone, there is none to restore. */
const SIGNALS = { SIGINT: 2, SIGTERM: 15 };

/** Somebody wants the demo to end. */
class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: string, number: number) {
    super(`interrupted by ${signal}`);
    this.exitCode = 128 + number;
  }
}

const stop = new AbortController();
for (const [signal, number] of Object.entries(SIGNALS)) {
  // Not once: npm passes on what the terminal has already sent to all.
  process.on(signal, () => stop.abort(new Interrupted(signal, number)));
}
// The reader of a pipe has gone.
process.stdout.on("error", (error) => stop.abort(error));

async function main(): Promise<readonly string[]> {
  const recording = RECORD_FILE === undefined ? undefined : new Recording();
  const live = isLive() || recording !== undefined ? new LiveShow(recording) : undefined;
  await using stage = new Stage(live ?? new PlainShow(), stop);
  if (live !== undefined) live.stage = stage;
  try {
    await stage.open();
    await play(stage);
  } finally {
    // Before the stage is cleared, so that the last view stays.
    live?.[Symbol.dispose]();
  }
  if (RECORD_FILE !== undefined) recording?.save(RECORD_FILE);
  return stage.checklist.seen;
}

try {
  const seen = await main();
  console.log(`\n${seen.map((line) => `ok  ${line}`).join("\n")}\n\nEverything was seen.`);
  process.exit(0);
} catch (error) {
  if (error instanceof Interrupted) {
    console.error("\ninterrupted; servers and services are stopped");
    process.exit(error.exitCode);
  }
  console.error("\nThe demo failed:", error instanceof NotSeenError ? error.message : error);
  process.exit(1);
}
