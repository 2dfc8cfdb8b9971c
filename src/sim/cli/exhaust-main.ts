import { explore } from "../exhaust/explore.js";
import { REAL_RULES } from "../exhaust/scope.js";
import { BIG_SCOPES, SMALL_SCOPES } from "../exhaust/scopes.js";

/** `npm run exhaust [-- --small]`; resolves to the exit code: 0, 1 if a promise can be broken. */
export async function exhaustMain(argv: readonly string[]): Promise<number> {
  const scopes = argv.includes("--small") ? SMALL_SCOPES : BIG_SCOPES;
  let stateCount = 0;
  for (const scope of scopes) {
    const startedMs = performance.now();
    const found = explore(scope, REAL_RULES);
    stateCount += found.stateCount;
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.log(
      `${scope.title}: ${found.stateCount} states, ${found.stepCount} steps, ` +
        `${found.grantCount} grants judged, ${found.depth} deep, ${seconds} s`,
    );
    if (found.violation === undefined) continue;
    console.log(`${found.violation.message}\n  ${found.violation.path.join("\n  ")}`);
    return 1;
  }
  console.log(`${stateCount} states in ${scopes.length} scopes, no promise can be broken in them`);
  return 0;
}
