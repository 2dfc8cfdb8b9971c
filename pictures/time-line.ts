import { bar, line, MARGIN, rule, say, type Tone } from "./pen.js";

/** Where the lanes begin: to the left are their names. */
const LEFT = 66;
const RIGHT = 14;

/** Of a bar in a lane. */
export const BAR = 20;

/** The base line of the instants above the lanes. */
const AXIS_Y = 48;
/** Where the area of the lanes begins. */
export const LANES_Y = AXIS_Y + 5;

/** Lanes below each other, over seconds. */
export class TimeLine {
  readonly #fromS: number;
  readonly #perS: number;

  constructor(fromS: number, toS: number, width: number) {
    this.#fromS = fromS;
    this.#perS = (width - LEFT - RIGHT) / (toS - fromS);
  }

  x(s: number): number {
    return LEFT + (s - this.#fromS) * this.#perS;
  }

  axis(ticksS: readonly number[], bottom: number): string[] {
    return ticksS.map((at) => {
      const words = say(`${at} s`, this.x(at), AXIS_Y, {
        tone: "soft",
        anchor: "middle",
        size: 11,
      });
      return rule([this.x(at), LANES_Y], [this.x(at), bottom]) + words;
    });
  }

  /** To the left of a lane; `y` is its middle. */
  name(words: string, y: number): string {
    return say(words, MARGIN, y + 4, { tone: "soft", size: 11 });
  }

  span(tone: Tone, from: number, to: number, y: number): string {
    return bar(tone, this.x(from), y - BAR / 2, this.x(to) - this.x(from), BAR);
  }

  /** In a bar, beginning that far from an instant. */
  inside(tone: Tone, words: string, at: number, y: number, afterPx = 7): string {
    return say(words, this.x(at) + afterPx, y + 4, { tone });
  }

  /** Somebody waits; its name is to the left. */
  wait(tone: Tone, from: number, to: number, y: number, name?: string): string {
    const words = name && say(name, this.x(from) - 4, y + 4, { tone, anchor: "end" });
    return (words ?? "") + line(tone, [this.x(from), y], [this.x(to) - 4, y], "dotted");
  }

  /** Something that happens at one instant, across lanes. */
  instant(tone: Tone, at: number, top: number, bottom: number): string {
    return line(tone, [this.x(at), top], [this.x(at), bottom], "dashed");
  }
}

export const count = (value: number): string => value.toLocaleString("en-US");
export const seconds = (value: number): string => `${value.toFixed(1)}\u00a0s`;
