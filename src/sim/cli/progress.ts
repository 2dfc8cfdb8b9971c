import type { Tally } from "./tally.js";

const BAR_WIDTH = 24;

/** A bar that is drawn over itself on a terminal, and nothing where output goes to a file. */
export class Progress {
  readonly #runCount: number;
  readonly #startedMs = performance.now();
  readonly #out = process.stderr;

  constructor(runCount: number) {
    this.#runCount = runCount;
  }

  get seconds(): number {
    return (performance.now() - this.#startedMs) / 1_000;
  }

  draw(tally: Tally): void {
    if (!this.#out.isTTY) return;
    const done = Math.floor((tally.runCount / this.#runCount) * BAR_WIDTH);
    const bar = "█".repeat(done) + "░".repeat(BAR_WIDTH - done);
    const line = `${bar} ${tally.runCount}/${this.#runCount}  ${this.rate(tally)}  ${tally.failures.length} failed`;
    this.#out.write(`\r${line}\u001B[K`);
  }

  rate({ runCount }: Tally): string {
    return `${Math.round((runCount / this.seconds) * 60)} runs a minute`;
  }

  clear(): void {
    if (this.#out.isTTY) this.#out.write("\r\u001B[K");
  }
}
