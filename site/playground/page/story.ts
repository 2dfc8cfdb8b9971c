import type { Scene } from "../world/scenes.js";
import { el } from "./dom.js";

/** What a scene is about, what is happening in it, and who was right. */
export class Story {
  readonly #title = el("h2");
  readonly #claim = el("p", { class: "claim" });
  readonly #caption = el("p", { class: "caption", role: "status", "aria-live": "polite" });
  readonly #verdict = el("div", { class: "verdict", role: "status", hidden: true });
  #scene: Scene | undefined;
  /** The captions describe only the unchanged scene. */
  #isChanged = false;

  constructor(root: HTMLElement) {
    root.append(this.#title, this.#claim, this.#caption, this.#verdict);
  }

  show(scene: Scene, isChanged: boolean): void {
    this.#scene = scene;
    this.#isChanged = isChanged;
    this.#title.textContent = isChanged ? `${scene.title}, changed` : scene.title;
    this.#claim.textContent = scene.claim;
    const { who, why } = scene.right;
    this.#verdict.replaceChildren(el("h3", {}, `Who was right? ${who}`), el("p", {}, why));
  }

  at(nowUs: number, endUs: number): void {
    const scene = this.#scene;
    if (scene === undefined) return;
    const step = scene.steps.findLast(({ atMs }) => atMs * 1_000 <= nowUs)?.text ?? "";
    const text = this.#isChanged
      ? "You have changed this scene. The trace below says what happens, and the oracles judge both sides."
      : step;
    if (this.#caption.textContent !== text) this.#caption.textContent = text;
    this.#verdict.hidden = this.#isChanged || nowUs < endUs;
  }
}
