import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Violation } from "../oracles/history.js";
import { jsonInLink } from "../scenario-link.js";
import type { Scenario } from "../scenario.js";

/** A scenario that broke a promise, as it is saved. */
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

/** Accepts a file written by {@link saveFailure}, a bare scenario, or a playground link. */
export function loadFailure(from: string): FailureFile {
  const linked = jsonInLink(from);
  const what = linked === undefined ? from : "the link";
  const data = parse(linked ?? readFileSync(from, "utf8"), what);
  const scenario = data?.scenario ?? data;
  if (!Array.isArray(scenario?.workload) || !Array.isArray(scenario.faults)) {
    throw new TypeError(`${what} is no scenario: it has no workload or no faults`);
  }
  return { violated: data?.violated, scenario };
}

function parse(text: string, what: string): (Partial<FailureFile> & Scenario) | null {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TypeError(`${what} is no scenario: ${(error as Error).message}`, { cause: error });
  }
}
