import type { Player } from "./player.js";
import { button, el, seconds } from "./dom.js";

const STEP_US = 100_000;
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const ZOOMS = [1, 2, 4, 8];

interface Settings {
  readonly zoom: number;
  readonly onZoom: (zoom: number) => void;
  readonly onSeed: (seed: number) => void;
}

/** Buttons, a slider and keys that control time; speed, zoom and seed. */
export class Transport {
  readonly #player: Player;
  readonly #play: HTMLButtonElement;
  readonly #slider = el("input", { type: "range", min: 0, step: 10, "aria-label": "time, ms" });
  readonly #clock = el("output", { class: "now" });
  readonly #seed = el("input", { type: "number", min: 0, max: 2 ** 31, step: 1, id: "seed" });

  constructor(root: HTMLElement, player: Player, { zoom: chosen, onZoom, onSeed }: Settings) {
    this.#player = player;
    this.#play = button("Play", () => player.toggle(), { class: "play" });
    this.#slider.addEventListener("input", () => player.moveTo(this.#slider.valueAsNumber * 1_000));
    const speed = choice(
      "speed",
      SPEEDS,
      1,
      (value) => `${value}×`,
      (value) => (player.speed = value),
    );
    const zoom = choice("zoom", ZOOMS, chosen, (value) => `${value}×`, onZoom);
    this.#seed.addEventListener("change", () => {
      if (this.#seed.checkValidity() && this.#seed.value !== "") onSeed(this.#seed.valueAsNumber);
    });
    const back = button("‹", () => player.moveTo(player.nowUs - STEP_US), {
      "aria-label": "back 0.1 s",
    });
    const on = button("›", () => player.moveTo(player.nowUs + STEP_US), {
      "aria-label": "on 0.1 s",
    });
    const seed = el("label", { for: "seed" }, "seed ", this.#seed);
    root.append(
      el("div", { class: "row" }, this.#play, back, on, this.#slider, this.#clock),
      el(
        "div",
        { class: "row" },
        speed,
        zoom,
        seed,
        el("span", { class: "hint" }, "Keys: space, ← → (with shift 1 s), home, end, 1 to 6."),
      ),
    );
    document.addEventListener("keydown", (event) => this.#onKey(event));
  }

  showSeed(seed: number): void {
    this.#seed.value = String(seed);
  }

  tick(): void {
    const { nowUs, endUs, isPlaying } = this.#player;
    this.#play.textContent = isPlaying ? "Pause" : "Play";
    this.#slider.max = String(endUs / 1_000);
    this.#slider.value = String(nowUs / 1_000);
    this.#slider.setAttribute("aria-valuetext", seconds(nowUs));
    this.#clock.textContent = `${seconds(nowUs)} of ${endUs / 1_000_000} s`;
  }

  #onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest("input, select, textarea, [role=slider]")) return;
    const step = event.shiftKey ? 10 * STEP_US : STEP_US;
    const { nowUs, endUs } = this.#player;
    if (event.key === " " && !target.closest("button, summary, a")) this.#player.toggle();
    else if (event.key === "ArrowLeft") this.#player.moveTo(nowUs - step);
    else if (event.key === "ArrowRight") this.#player.moveTo(nowUs + step);
    else if (event.key === "Home") this.#player.moveTo(0);
    else if (event.key === "End") this.#player.moveTo(endUs);
    else return;
    event.preventDefault();
  }
}

function choice(
  name: string,
  values: readonly number[],
  chosen: number,
  textOf: (value: number) => string,
  onChoose: (value: number) => void,
): HTMLElement {
  const options = values.map((value) => {
    return el("option", { value, selected: value === chosen }, textOf(value));
  });
  const select = el("select", { id: name }, ...options);
  select.addEventListener("change", () => onChoose(Number(select.value)));
  return el("label", { for: name }, `${name} `, select);
}
