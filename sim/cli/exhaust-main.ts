import { parseArgs } from "node:util";
import { explore } from "../exhaust/explore.js";
import { REAL_RULES, type Rules } from "../exhaust/scope.js";
import { BIG_SCOPES, SMALL_SCOPES, type NamedScope } from "../exhaust/scopes.js";
import { exploringLine } from "./exploring-line.js";
import { EXIT_CODE } from "./exit-code.js";
import { LiveLine } from "./live-line.js";

const USAGE = `npm run exhaust -- [--small]

  --small  only the worlds that take seconds, as the tests do

Ends with 0 if no promise can be broken, 1 if one can, 3 if a world is too large to be walked through.`;

/** States between two progress lines when output goes to a file. */
const STATES_A_LINE = 1_000_000;

/**
 * `npm run exhaust`; resolves to the exit code.
 *
 * @param rules the rules under test, so that tests can check that a wrong one is found
 */
export async function exhaustMain(
  argv: readonly string[],
  rules: Rules = REAL_RULES,
): Promise<number> {
  let scopes: readonly NamedScope[];
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { small: { type: "boolean" }, help: { type: "boolean" } },
    });
    if (values.help === true) {
      console.log(USAGE);
      return EXIT_CODE.fine;
    }
    scopes = values.small === true ? SMALL_SCOPES : BIG_SCOPES;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return EXIT_CODE.nothingShown;
  }
  let stateCount = 0;
  for (const scope of scopes) {
    try {
      const found = walk(scope, rules);
      stateCount += found.stateCount;
      if (found.isBroken) return EXIT_CODE.unsafe;
    } catch (error) {
      console.error(`${scope.title}: ${(error as Error).message}`);
      return EXIT_CODE.nothingShown;
    }
  }
  console.log(`${stateCount} states in ${scopes.length} scopes, no promise can be broken in them`);
  return EXIT_CODE.fine;
}

/** Explores one world and reports it in one line, followed by the path to a broken promise if there is one. */
function walk(scope: NamedScope, rules: Rules): { stateCount: number; isBroken: boolean } {
  const line = new LiveLine();
  const startedMs = performance.now();
  const secondsSoFar = (): number => (performance.now() - startedMs) / 1_000;
  const found = explore(scope, rules, undefined, (counts) => {
    if (!line.isLive && counts.stateCount % STATES_A_LINE !== 0) return;
    line.draw(exploringLine(scope.title, counts, secondsSoFar(), line.columns));
  });
  line.clear();
  const { stateCount, stepCount, grantCount, depth, violation } = found;
  console.log(
    `${scope.title}: ${stateCount} states, ${stepCount} steps, ` +
      `${grantCount} grants judged, ${depth} deep, ${secondsSoFar().toFixed(1)} s`,
  );
  if (violation === undefined) return { stateCount, isBroken: false };
  console.log(`${violation.message}\n  ${violation.path.join("\n  ")}`);
  return { stateCount, isBroken: true };
}
