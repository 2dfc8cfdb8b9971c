import { writeFileSync } from "node:fs";
import type { Line } from "./cells.js";

/** What a terminal showed, for the picture of the demo. Lines that are the same are kept once. */
export interface Recorded {
  readonly lines: readonly Line[];
  /** In order; `lines` are indexes. */
  readonly frames: readonly { readonly atMs: number; readonly lines: readonly number[] }[];
  /** Titles of the scenes. */
  readonly scenes: readonly string[];
}

/** Between two frames that are kept at least, ms; the last one is kept, too. */
const STEP_MS = 500;

/** Keeps what is drawn, and writes it to a file. */
export class Recording {
  readonly #frames: { readonly atMs: number; readonly lines: readonly Line[] }[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #scenes: string[] = [];

  scene(title: string): void {
    this.#scenes.push(title);
  }

  /** @param atMs since the start */
  add(atMs: number, lines: readonly Line[]): void {
    const [before, last] = this.#frames.slice(-2);
    // The last one stays only if it is far enough from the one before it.
    if (before !== undefined && last !== undefined && last.atMs - before.atMs < STEP_MS) {
      this.#frames.pop();
    }
    this.#frames.push({ atMs: Math.round(atMs), lines });
  }

  #numberOf(line: Line): number {
    const text = JSON.stringify(line);
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }

  /** One entry a line, so that a new recording can be looked at as a change. */
  save(file: string): void {
    const frames = this.#frames.map(({ atMs, lines }) =>
      JSON.stringify({ atMs, lines: lines.map((line) => this.#numberOf(line)) }),
    );
    const parts = [
      `"scenes": ${JSON.stringify(this.#scenes)}`,
      `"lines": [\n${[...this.#numbers.keys()].join(",\n")}\n]`,
      `"frames": [\n${frames.join(",\n")}\n]`,
    ];
    writeFileSync(file, `{\n${parts.join(",\n")}\n}\n`);
  }
}
