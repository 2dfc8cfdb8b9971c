/** Time as the page shows it: it runs at a speed, is paused, or is moved by hand. */
export class Player {
  /** Speed relative to true time. */
  speed = 1;
  #nowUs = 0;
  #endUs = 0;
  #isPlaying = false;
  #lastMs = 0;
  readonly #onTick: () => void;

  constructor(onTick: () => void) {
    this.#onTick = onTick;
  }

  get nowUs(): number {
    return this.#nowUs;
  }

  get endUs(): number {
    return this.#endUs;
  }

  get isPlaying(): boolean {
    return this.#isPlaying;
  }

  setEnd(endUs: number): void {
    this.#endUs = endUs;
    this.#nowUs = Math.min(this.#nowUs, endUs);
  }

  moveTo(us: number): void {
    this.#nowUs = Math.min(this.#endUs, Math.max(0, us));
    this.#onTick();
  }

  toggle(): void {
    if (this.#isPlaying) this.pause();
    else this.play();
  }

  play(): void {
    if (this.#isPlaying) return;
    if (this.#nowUs >= this.#endUs) this.#nowUs = 0;
    this.#isPlaying = true;
    this.#lastMs = performance.now();
    requestAnimationFrame(() => this.#frame());
    this.#onTick();
  }

  pause(): void {
    this.#isPlaying = false;
    this.#onTick();
  }

  #frame(): void {
    if (!this.#isPlaying) return;
    const nowMs = performance.now();
    // A tab that was in the background continues where it stopped.
    const passedMs = Math.min(100, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    this.#nowUs = Math.min(this.#endUs, this.#nowUs + passedMs * 1_000 * this.speed);
    if (this.#nowUs >= this.#endUs) this.#isPlaying = false;
    this.#onTick();
    requestAnimationFrame(() => this.#frame());
  }
}
