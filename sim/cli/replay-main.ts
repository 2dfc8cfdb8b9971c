import { parseArgs } from "node:util";
import { naively, NAIVE_ORACLES } from "../naive/naively.js";
import { oraclesOf } from "../profiles.js";
import { simulate } from "../simulate.js";
import { traceLine } from "../trace.js";
import { EXIT_CODE } from "./exit-code.js";
import { loadFailure } from "./failure-file.js";

const USAGE = `npm run replay -- FILE|LINK [--naive] [--around MS] [--window MS] [--json]

  FILE      a scenario that a campaign has kept
  LINK      the address of a scenario in the playground
  --naive   the services use a naive Redlock, as on the left of the playground
  --around  only what happened around this instant
  --window  how far around it, ms (default 100)
  --json    the whole history as JSON

Ends with 0 if the scenario keeps every promise, 1 if it breaks one, 3 if it could not be run.`;

/** `npm run replay`; resolves to the exit code. */
export async function replayMain(argv: readonly string[]): Promise<number> {
  try {
    return await replay(argv);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return EXIT_CODE.nothingShown;
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
      naive: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return EXIT_CODE.fine;
  }
  const isShown = windowOf(values.around, values.window);
  const [path, ...more] = positionals;
  if (path === undefined) throw new TypeError("give the file of a scenario, or its link");
  if (more.length > 0) throw new TypeError(`one scenario at a time, not also ${more.join(" ")}`);
  const { scenario: kept, violated } = loadFailure(path);
  const scenario = values.naive ? naively(kept) : kept;
  // It may have been judged by an oracle that its profile does not promise.
  const oracles = new Set(values.naive ? NAIVE_ORACLES : oraclesOf(scenario.profile));
  if (violated !== undefined) oracles.add(violated.id);
  const { history, violations, traceHash } = await simulate(scenario, { oracles: [...oracles] });
  if (values.json) {
    console.log(JSON.stringify({ scenario, violations, history }, null, 1));
    return violations.length > 0 ? EXIT_CODE.unsafe : EXIT_CODE.fine;
  }
  const { profile, seed, faults, nodeCount, clients } = scenario;
  console.log(`${profile} seed ${seed}: ${nodeCount} nodes, ${clients.length} clients`);
  for (const fault of faults) console.log(`  fault ${JSON.stringify(fault)}`);
  // A violation is listed where it happened, after all events that led to it.
  const lines = history.events.map((event) => ({ atUs: event.atUs, text: traceLine(event) }));
  const marks = violations.map(({ id, atUs, message }) => {
    return { atUs, text: `${(atUs / 1_000).toFixed(3).padStart(11)} ##### ${id} ${message}` };
  });
  const all = [...lines, ...marks].toSorted((a, b) => a.atUs - b.atUs);
  for (const { atUs, text } of all) if (isShown(atUs)) console.log(text);
  console.log(`trace ${traceHash}, ${violations.length} violations`);
  return violations.length > 0 ? EXIT_CODE.unsafe : EXIT_CODE.fine;
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
