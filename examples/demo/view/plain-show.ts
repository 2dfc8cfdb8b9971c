import type { Show } from "../stage.js";
import { SCENE_COUNT } from "../story.js";

/** The story in lines, for logs and pipes. */
export class PlainShow implements Show {
  readonly #startMs = performance.now();
  #sceneNumber = 0;

  scene(title: string): void {
    this.#sceneNumber++;
    this.#line(`${this.#sceneNumber}/${SCENE_COUNT}  ${title}`);
  }

  say(text: string): void {
    this.#line(`     ${text}`);
  }

  #line(text: string): void {
    const seconds = ((performance.now() - this.#startMs) / 1_000).toFixed(3);
    process.stdout.write(`${seconds.padStart(7)} s  ${text}\n`);
  }
}

/** Whether the output is a terminal that can be drawn on, and wants to be. */
export function isLive(): boolean {
  const { CI, NO_COLOR, TERM } = process.env;
  return process.stdout.isTTY && !CI && !NO_COLOR && TERM !== "dumb";
}
