import { Session, type Profiler } from "node:inspector/promises";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

/** What of the sources ran, counted by V8. */
export interface Called {
  /** Paths below the folder, such as `coordinator/round.js`, with the calls of each of its functions that ran. */
  readonly files: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/**
 * Counts the calls of functions while `run` runs.
 *
 * @param folder only functions of scripts in here count; the body of a module does not
 */
export async function calledIn(folder: string, run: () => Promise<void>): Promise<Called> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await run();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return { files: callsOf(result, folder) };
  } finally {
    session.disconnect();
  }
}

function callsOf(
  scripts: readonly Profiler.ScriptCoverage[],
  folder: string,
): Map<string, Map<string, number>> {
  const files = new Map<string, Map<string, number>>();
  for (const { url, functions } of scripts) {
    if (!url.startsWith("file:")) continue;
    const path = fileURLToPath(url);
    if (!path.startsWith(`${folder}${sep}`)) continue;
    const calls = new Map<string, number>();
    for (const { functionName, ranges } of functions) {
      const range = ranges[0];
      // The function at offset 0 without a name is the module itself.
      if (range === undefined || range.count === 0) continue;
      if (functionName === "" && range.startOffset === 0) continue;
      calls.set(`${functionName}@${range.startOffset}`, range.count);
    }
    if (calls.size > 0) files.set(path.slice(folder.length + 1), calls);
  }
  return files;
}

/** Number of files, functions and calls. */
export function sizeOf({ files }: Called): {
  readonly fileCount: number;
  readonly functionCount: number;
  readonly callCount: number;
} {
  const functions = [...files.values()];
  const calls = functions.flatMap((counts) => [...counts.values()]);
  return {
    fileCount: functions.length,
    functionCount: calls.length,
    callCount: calls.reduce((sum, count) => sum + count, 0),
  };
}
