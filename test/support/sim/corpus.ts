import { readdirSync } from "node:fs";
import { join } from "node:path";
import { loadFailure } from "../../../sim/cli/failure-file.js";
import type { Scenario } from "../../../sim/scenario.js";
import { root } from "../../docs/project.js";

const CORPUS = join(root, "test", "sim", "corpus");

/** Names of the scenarios that broke a promise once, and what was found by them is repaired. */
export function corpusNames(): string[] {
  return readdirSync(CORPUS);
}

export function fromCorpus(name: string): Scenario {
  return loadFailure(join(CORPUS, name)).scenario;
}
