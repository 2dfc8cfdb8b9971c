/** Says what is going on: one line that changes on a terminal, a line a step elsewhere. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #total: number;
  #done = 0;

  /** To stderr by default: the report alone goes to stdout. */
  constructor(total: number, stream: NodeJS.WriteStream = process.stderr) {
    this.#total = total;
    this.#stream = stream;
  }

  step(what: string): void {
    this.#done++;
    const line = `[${this.#done}/${this.#total}] ${what}`;
    if (!this.#stream.isTTY) {
      this.#stream.write(`${line}\n`);
      return;
    }
    this.clear();
    this.#stream.write(line.slice(0, this.#stream.columns - 1));
  }

  clear(): void {
    if (this.#stream.isTTY) this.#stream.write("\r\u001B[K");
  }
}
