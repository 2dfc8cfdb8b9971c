import { register } from "node:module";
import type { BrokenCode } from "./broken-code.js";
import { compileLater } from "../support/compile-later.js";
import { runTested } from "./run-tested.js";
import { isTested, type Pin, type Row } from "./row.js";
import { simulateRow } from "./run-simulated.js";

/** How a row is run: with its pin, with the first seeds of its scenarios, or as a search. */
export type Effort = "pin" | "few" | "search";

export interface Job {
  readonly row: Row;
  readonly effort: Effort;
}

export interface Outcome {
  readonly isNoticed: boolean;
  /** The test cannot be run on this machine. */
  readonly isSkipped?: true;
  /** The test fails without the bug, too, at least in this process. */
  readonly failsAnyway?: true;
  /** Of a simulated row. */
  readonly pin?: Pin;
  /** Oracles that fired, or the test that failed. */
  readonly by: readonly string[];
  readonly runCount: number;
  /** What else was seen: of help when nobody notices. */
  readonly notes: readonly string[];
}

compileLater();

/** A process for many rows: its first message is the broken code, each further one a job. */
process.once("message", (code: BrokenCode) => {
  register("./hooks.js", import.meta.url, { data: code });
  process.on("message", (job: Job) => {
    void run(job).then(
      (outcome) => process.send?.({ outcome }),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
  process.send?.("ready");
});

async function run({ row, effort }: Job): Promise<Outcome> {
  return isTested(row) ? runTested(row) : simulateRow(row, effort);
}
