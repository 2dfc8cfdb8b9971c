/** Where it is said; the same as standard output and error. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Says what is going on: one line that changes on a terminal, a line a step elsewhere. */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #total: number;
  #done = 0;

  /** To stderr by default: the report alone goes to stdout. */
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
