/** The part of a terminal's interface that is used; a file or a pipe has neither columns nor `isTTY`. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const DEFAULT_COLUMNS = 80;

/** One line that is redrawn on a terminal. Elsewhere lines are printed now and then, as the caller decides. */
export class LiveLine {
  readonly #out: Output;

  constructor(out: Output = process.stderr) {
    this.#out = out;
  }

  get isLive(): boolean {
    return this.#out.isTTY === true;
  }

  /** Width of a row. A longer line would wrap on a terminal and could not be redrawn in place. */
  get columns(): number {
    if (!this.isLive) return Number.POSITIVE_INFINITY;
    // A terminal of unknown width reports 0.
    const { columns = 0 } = this.#out;
    return columns > 0 ? columns : DEFAULT_COLUMNS;
  }

  draw(line: string): void {
    this.#out.write(this.isLive ? `\r${line}\u001B[K` : `${line}\n`);
  }

  /** A line that stays. */
  print(line: string): void {
    this.clear();
    this.#out.write(`${line}\n`);
  }

  clear(): void {
    if (this.isLive) this.#out.write("\r\u001B[K");
  }
}
