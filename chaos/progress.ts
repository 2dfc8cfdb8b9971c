import { describeFault } from "./nemesis/faults.js";
import type { CampaignSettings } from "./settings.js";
import type { View } from "./tally.js";

const BAR_WIDTH = 24;

/** Interval of lines when the output is not a terminal, ms. */
const LINE_EVERY_MS = 10_000;

/** Reports progress: one line that is redrawn on a terminal, otherwise a line at intervals. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #settings: CampaignSettings;
  #nextLineMs = LINE_EVERY_MS;

  constructor(settings: CampaignSettings, stream: NodeJS.WriteStream = process.stderr) {
    this.#settings = settings;
    this.#stream = stream;
    const { seed, clientCount, nodeCount, durationMs, profile, schedule, plant } = settings;
    const planted = plant === undefined ? "" : `, planted: ${plant}`;
    stream.write(
      `seed ${seed}: ${clientCount} clients, ${nodeCount} nodes, ${durationMs / 1_000} s, ` +
        `profile ${profile}, schedule ${schedule}${planted}\n`,
    );
  }

  show(view: View): void {
    if (this.#stream.isTTY) {
      this.clear();
      const line = `${bar(view.progress)} ${this.#counts(view)}`;
      this.#stream.write(line.slice(0, this.#stream.columns - 1));
    } else if (view.elapsedMs >= this.#nextLineMs) {
      this.#nextLineMs += LINE_EVERY_MS;
      this.#stream.write(`${this.#counts(view)}\n`);
    }
  }

  clear(): void {
    if (this.#stream.isTTY) this.#stream.write("\r\u001B[K");
  }

  #counts(view: View): string {
    const { elapsedMs, granted, refused, failed, lost, overwritten, active } = view;
    const seconds = `${Math.floor(elapsedMs / 1_000)}/${this.#settings.durationMs / 1_000} s`;
    const counts = `${granted} granted, ${refused} held by others, ${failed} failed, ${lost} lost`;
    const updates = `updates lost ${overwritten.unfenced}/${overwritten.fenced} (fenced)`;
    const faults = active.map(describeFault).join("; ") || "none";
    return `${seconds}  ${counts}  ${updates}  faults: ${faults}`;
  }
}

function bar(progress: number): string {
  const full = Math.round(progress * BAR_WIDTH);
  return `[${"=".repeat(full)}${" ".repeat(BAR_WIDTH - full)}]`;
}
