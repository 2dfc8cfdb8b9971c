import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Violation } from "../../check/history.js";
import type { Scenario } from "../scenario.js";

/** A scenario that broke a promise, as it is kept: what it broke is for people only. */
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
export function loadScenario(path: string): Scenario {
  const data = JSON.parse(readFileSync(path, "utf8")) as Partial<FailureFile> & Scenario;
  const scenario = data.scenario ?? data;
  if (!Array.isArray(scenario.workload) || !Array.isArray(scenario.faults)) {
    throw new TypeError(`${path} is no scenario: it has no workload or no faults`);
  }
  return scenario;
}
