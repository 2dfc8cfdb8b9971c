import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Violation } from "../oracles/history.js";
import type { Scenario } from "../scenario.js";

/** A scenario that broke a promise, as it is kept. */
export interface FailureFile {
  readonly violated: Violation | undefined;
  readonly scenario: Scenario;
}

/** Returns the path. */
export function saveFailure(dir: string, file: FailureFile): string {
  const { scenario, violated } = file;
  mkdirSync(dir, { recursive: true });
  const name = [scenario.profile, scenario.seed, violated?.id ?? "fine"].join("-");
  const path = join(dir, `${name}.json`);
  writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`);
  return path;
}

/** Takes a file of {@link saveFailure}, or a bare scenario. */
export function loadFailure(path: string): FailureFile {
  const data = parse(path);
  const scenario = data?.scenario ?? data;
  if (!Array.isArray(scenario?.workload) || !Array.isArray(scenario.faults)) {
    throw new TypeError(`${path} is no scenario: it has no workload or no faults`);
  }
  return { violated: data?.violated, scenario };
}

function parse(path: string): (Partial<FailureFile> & Scenario) | null {
  const text = readFileSync(path, "utf8");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TypeError(`${path} is no scenario: ${(error as Error).message}`, { cause: error });
  }
}
