import { LiveLine, type Output } from "./live-line.js";
import { barLine, countsLine, perMinute, type ProgressView } from "./progress-line.js";
import { failureLine, type Tally } from "./tally.js";

/** Total number of lines when output goes to a file. */
const LINE_COUNT = 10;

/** A bar on a terminal; elsewhere one line per tenth of a campaign. Failures are named as soon as they are found. */
export class Progress {
  readonly #totalCount: number;
  readonly #startedMs = performance.now();
  readonly #line: LiveLine;
  #tenths = 0;
  #toldCount = 0;

  /** @param out by default stderr, because results go to stdout */
  constructor(totalCount: number, out?: Output) {
    this.#totalCount = totalCount;
    this.#line = new LiveLine(out);
  }

  get seconds(): number {
    return (performance.now() - this.#startedMs) / 1_000;
  }

  draw({ runCount, failures }: Tally): void {
    for (const failure of failures.slice(this.#toldCount)) this.#line.print(failureLine(failure));
    this.#toldCount = failures.length;
    const view: ProgressView = {
      doneCount: runCount,
      totalCount: this.#totalCount,
      failedCount: failures.length,
      seconds: this.seconds,
    };
    if (this.#line.isLive) {
      this.#line.draw(barLine(view, this.#line.columns));
      return;
    }
    const tenths = Math.floor((runCount / this.#totalCount) * LINE_COUNT);
    if (tenths === this.#tenths) return;
    this.#tenths = tenths;
    this.#line.draw(countsLine(view));
  }

  rate({ runCount }: Tally): string {
    return `${perMinute(runCount, this.seconds)} runs a minute`;
  }

  clear(): void {
    this.#line.clear();
  }
}
