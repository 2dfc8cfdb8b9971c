import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import type { ChaosRecord } from "./records.js";

/**
 * One process's part of a history. Every line is in the kernel's hands before the process goes on,
 * so that even SIGKILL takes nothing back that was written.
 */
export class Journal<R extends ChaosRecord = ChaosRecord> {
  readonly #fd: number;

  constructor(path: string) {
    this.#fd = openSync(path, "a");
  }

  write(record: R): void {
    writeSync(this.#fd, `${JSON.stringify(record)}\n`);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** The records of some journals, in order of time; those of one journal keep theirs at a tie. */
export function readJournals(paths: readonly string[]): ChaosRecord[] {
  return paths.flatMap(readJournal).toSorted((a, b) => a.atUs - b.atUs);
}

function readJournal(path: string): ChaosRecord[] {
  const lines = readFileSync(path, "utf8").split("\n");
  // A line without its end was being written when its process was killed: what it tells did not go on.
  lines.pop();
  return lines.map((line) => JSON.parse(line) as ChaosRecord);
}
