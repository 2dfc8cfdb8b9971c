/** Where progress is written; standard output and error both fit. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Reports progress: one line that is redrawn on a terminal, otherwise one line per step. */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #total: number;
  #done = 0;

  /** stderr by default, because only the report goes to stdout. */
  constructor(total: number, stream: ProgressStream = process.stderr) {
    this.#total = total;
    this.#stream = stream;
  }

  step(what: string): void {
    this.#done++;
    const line = `[${this.#done}/${this.#total}] ${what}`;
    if (this.#stream.isTTY !== true) {
      this.#stream.write(`${line}\n`);
      return;
    }
    this.clear();
    this.#stream.write(line.slice(0, (this.#stream.columns ?? 80) - 1));
  }

  clear(): void {
    if (this.#stream.isTTY === true) this.#stream.write("\r\u001B[K");
  }
}
