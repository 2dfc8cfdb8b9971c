/** The part of a terminal that is written to; a file or a pipe has neither columns nor `isTTY`. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const DEFAULT_COLUMNS = 80;

/** One line that changes on a terminal; elsewhere a line now and then, as its user decides. */
export class LiveLine {
  readonly #out: Output;

  constructor(out: Output = process.stderr) {
    this.#out = out;
  }

  get isLive(): boolean {
    return this.#out.isTTY === true;
  }

  /** What fits in a row: on a terminal a longer line would wrap, and could not be drawn over. */
  get columns(): number {
    if (!this.isLive) return Number.POSITIVE_INFINITY;
    // A terminal that does not know how wide it is says 0.
    const { columns = 0 } = this.#out;
    return columns > 0 ? columns : DEFAULT_COLUMNS;
  }

  draw(line: string): void {
    this.#out.write(this.isLive ? `\r${line}\u001B[K` : `${line}\n`);
  }

  clear(): void {
    if (this.isLive) this.#out.write("\r\u001B[K");
  }
}
