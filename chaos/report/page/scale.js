/** The visible part of time, and its position on the screen. */
export class Scale {
  /** Shortest range that can be zoomed to, ms. */
  static shortestMs = 2;

  constructor(endMs, left) {
    this.endMs = endMs;
    this.left = left;
    this.from = 0;
    this.to = endMs;
    this.width = 1;
  }

  x(ms) {
    return this.left + ((ms - this.from) / (this.to - this.from)) * this.width;
  }

  ms(x) {
    return this.from + ((x - this.left) / this.width) * (this.to - this.from);
  }

  get msPerPixel() {
    return (this.to - this.from) / this.width;
  }

  /** Shows a range of time, limited to what exists. */
  show(from, to) {
    const length = Math.min(Math.max(to - from, Scale.shortestMs), this.endMs);
    this.from = Math.min(Math.max(from, 0), this.endMs - length);
    this.to = this.from + length;
  }

  zoom(factor, x) {
    const at = this.ms(x);
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  pan(pixels) {
    const by = pixels * this.msPerPixel;
    this.show(this.from + by, this.to + by);
  }

  /** Round instants, about that many pixels apart. */
  ticks(pixels) {
    const rough = pixels * this.msPerPixel;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
    const ticks = [];
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) ticks.push(at);
    return { ticks, step };
  }
}

/** An instant for people, as exact as the distance between two ticks requires. */
export function clock(ms, step = 0.01) {
  const seconds = ms / 1000;
  const digits = Math.min(5, Math.max(0, Math.ceil(-Math.log10(step / 1000) - 1e-9)));
  if (seconds < 60) return `${seconds.toFixed(digits)} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - minutes * 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  return `${minutes}:${rest}`;
}
