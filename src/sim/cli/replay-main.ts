import { parseArgs } from "node:util";
import { simulate } from "../simulate.js";
import { traceLine } from "../trace.js";
import { loadScenario } from "./failure-file.js";

const USAGE = `npm run replay -- FILE [--around MS] [--window MS] [--json]

  --around  only what happened around this instant
  --window  how far around it, ms (default 100)
  --json    the whole history as JSON`;

/** `npm run replay`; resolves to the exit code: 0, 1 if the scenario broke a promise, 3 if it could not be run. */
export async function replayMain(argv: readonly string[]): Promise<number> {
  try {
    return await replay(argv);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 3;
  }
}

async function replay(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      around: { type: "string" },
      window: { type: "string", default: "100" },
      json: { type: "boolean", default: false },
    },
  });
  const [path] = positionals;
  if (path === undefined) throw new TypeError("give the file of a scenario");
  const scenario = loadScenario(path);
  const { history, violations, traceHash } = await simulate(scenario);
  if (values.json) {
    console.log(JSON.stringify({ scenario, violations, history }, null, 1));
    return violations.length > 0 ? 1 : 0;
  }
  const isShown = windowOf(values.around, values.window);
  const { profile, seed, faults, nodeCount, clients } = scenario;
  console.log(`${profile} seed ${seed}: ${nodeCount} nodes, ${clients.length} clients`);
  for (const fault of faults) console.log(`  fault ${JSON.stringify(fault)}`);
  // A violation stands where it happened, behind all that led to it.
  const lines = history.events.map((event) => ({ atUs: event.atUs, text: traceLine(event) }));
  const marks = violations.map(({ id, atUs, message }) => {
    return { atUs, text: `${(atUs / 1_000).toFixed(3).padStart(11)} ##### ${id} ${message}` };
  });
  const all = [...lines, ...marks].toSorted((a, b) => a.atUs - b.atUs);
  for (const { atUs, text } of all) if (isShown(atUs)) console.log(text);
  console.log(`trace ${traceHash}, ${violations.length} violations`);
  return violations.length > 0 ? 1 : 0;
}

function windowOf(around: string | undefined, window: string): (atUs: number) => boolean {
  if (around === undefined) return () => true;
  const middleUs = Number(around) * 1_000;
  const halfUs = Number(window) * 1_000;
  if (!Number.isFinite(middleUs) || !Number.isFinite(halfUs)) {
    throw new RangeError(`--around and --window must be numbers, got ${around} and ${window}`);
  }
  return (atUs) => Math.abs(atUs - middleUs) <= halfUs;
}
