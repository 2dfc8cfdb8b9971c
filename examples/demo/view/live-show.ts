import type { Show, Stage } from "../stage.js";
import { render } from "./cells.js";
import { frame } from "./frame.js";
import type { Recording } from "./recording.js";

const FRAME_MS = 100;
const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const CLEAR_TO_END_OF_LINE = "\x1b[K";
const CLEAR_BELOW = "\x1b[J";
const CLEAR_SCREEN = "\x1b[2J\x1b[H";

/** The view on a terminal, drawn over itself ten times a second. */
export class LiveShow implements Show, Disposable {
  readonly #startMs = performance.now();
  readonly #said: { text: string; atMs: number }[] = [];
  readonly #timer: NodeJS.Timeout;
  #stage: Stage | undefined;
  #sceneNumber = 0;
  #sceneTitle = "starting five Redis servers and two services";
  #height = 0;
  #isOver = false;
  readonly #recording: Recording | undefined;

  /** @param recording gets what is drawn */
  constructor(recording?: Recording) {
    this.#recording = recording;
    process.stdout.write(HIDE_CURSOR);
    // Also after a crash: a terminal without its cursor is a nuisance.
    process.on("exit", () => this[Symbol.dispose]());
    process.stdout.on("resize", this.#onResize);
    this.#timer = setInterval(() => this.#draw(), FRAME_MS);
  }

  /** What is shown; before that, nothing is. */
  set stage(stage: Stage) {
    this.#stage = stage;
  }

  scene(title: string): void {
    this.#sceneNumber++;
    this.#sceneTitle = title;
    this.#recording?.scene(title);
    this.#draw();
  }

  say(text: string): void {
    this.#said.push({ text, atMs: this.#passedMs });
    this.#draw();
  }

  /** Leaves the last view standing, and the cursor below it. Idempotent. */
  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#draw();
    this.#isOver = true;
    clearInterval(this.#timer);
    process.stdout.off("resize", this.#onResize);
    process.stdout.write(SHOW_CURSOR);
  }

  readonly #onResize = (): void => {
    // Lines that the terminal has wrapped cannot be counted back over.
    process.stdout.write(CLEAR_SCREEN);
    this.#height = 0;
    this.#draw();
  };

  get #passedMs(): number {
    return performance.now() - this.#startMs;
  }

  #draw(): void {
    if (this.#stage === undefined || this.#isOver) return;
    // 0 where the terminal does not know its size.
    const columns = process.stdout.columns || 80;
    const rows = process.stdout.rows || 24;
    const telling = {
      sceneNumber: this.#sceneNumber,
      sceneTitle: this.#sceneTitle,
      passedMs: this.#passedMs,
      said: this.#said,
    };
    // One row stays free for the cursor, and one column so that nothing wraps.
    const lines = frame(this.#stage, telling, columns - 1, rows - 1);
    this.#recording?.add(telling.passedMs, lines);
    const up = this.#height === 0 ? "" : `\x1b[${this.#height}A`;
    const text = lines.map((line) => `${render(line, columns - 1)}${CLEAR_TO_END_OF_LINE}\n`);
    // In one write, so that no half of a view is ever seen.
    process.stdout.write(`\r${up}${text.join("")}${CLEAR_BELOW}`);
    this.#height = lines.length;
  }
}
