import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import type { ChaosRecord } from "./records.js";

/**
 * One process's part of a history. Every line is passed to the kernel before the process continues, so that even
 * SIGKILL loses nothing that was written.
 */
export class Journal<R extends ChaosRecord = ChaosRecord> {
  /** Undefined once it is closed. */
  #fd: number | undefined;

  constructor(path: string) {
    this.#fd = openSync(path, "a");
  }

  /** Drops what comes after the end: a campaign that failed may still be told something by its processes. */
  write(record: R): void {
    if (this.#fd !== undefined) writeSync(this.#fd, `${JSON.stringify(record)}\n`);
  }

  /** May be called twice. */
  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** The records of several journals, ordered by time; records of one journal keep their order at a tie. */
export function readJournals(paths: readonly string[]): ChaosRecord[] {
  return paths.flatMap(readJournal).toSorted((a, b) => a.atUs - b.atUs);
}

function readJournal(path: string): ChaosRecord[] {
  const lines = readFileSync(path, "utf8").split("\n");
  // An incomplete line was being written when its process was killed: the process did nothing after it.
  lines.pop();
  return lines.map((line) => JSON.parse(line) as ChaosRecord);
}
