import { element, px, svgFile, text, type Tone } from "./svg.js";

/**
 * What pictures are drawn with: shapes and words in a few tones, on a sheet that is light or dark as its reader's page
 * is. A sheet stands alone (GitHub shows it as an image): no script, no font of its own.
 */

/** The width of a phone, so that the words are readable there without zooming. */
export const PHONE_PX = 360;

/** Between the edge of a sheet and what is drawn on it. */
export const MARGIN = 16;

export const SIZE = 12;
const LINE_HEIGHT = 16;

/** Width of an average character, as a share of its size; those of bold text are wider. */
const CHARACTER = 0.6;
const BOLD_CHARACTER = 0.64;

const STYLE = [
  ".bar{fill:var(--wash);stroke:var(--line);stroke-width:1.25}",
  ".line{fill:none;stroke:var(--line);stroke-width:1.25}",
  ".inside{fill:var(--ink-wash)}",
  ".dashed{stroke-dasharray:4 3}",
  ".dotted{stroke-dasharray:1 4;stroke-width:2;stroke-linecap:round}",
].join("\n");

export interface Sheet {
  /** What the picture is of, for those who hear it. */
  readonly title: string;
  readonly height: number;
  readonly width?: number;
  /** More style, for what moves. */
  readonly style?: string;
}

/** A whole file. */
export function sheet(
  { title, width = PHONE_PX, style = "", ...given }: Sheet,
  ...parts: readonly string[]
): string {
  const height = Math.ceil(given.height);
  return svgFile({ title, width, height, fontSize: SIZE, style: `${STYLE}\n${style}` }, ...parts);
}

/** The title that is read, in the upper left corner. */
export function heading(words: string): string {
  return say(words, MARGIN, 26, { size: 14, isBold: true });
}

export interface Wording {
  readonly tone?: Tone;
  readonly anchor?: "middle" | "end";
  readonly size?: number;
  readonly isBold?: boolean;
  /** On a solid shape. */
  readonly isInside?: boolean;
  readonly isCode?: boolean;
}

/** One line of text, on its base line. */
export function say(words: string, x: number, y: number, wording: Wording = {}): string {
  const { tone = "ink", anchor, size, isBold, isInside, isCode } = wording;
  return text(words, x, y, {
    class: isInside === true ? "inside" : tone,
    ...(anchor !== undefined && { "text-anchor": anchor }),
    ...(size !== undefined && { "font-size": size }),
    ...(isBold === true && { "font-weight": 600 }),
    ...(isCode === true && { "font-family": "ui-monospace, monospace" }),
  });
}

/** How wide a text is, about: fonts differ. */
export function widthOf(words: string, size = SIZE, isBold = false): number {
  return words.length * size * (isBold ? BOLD_CHARACTER : CHARACTER);
}

/** Breaks a text into as few lines as fit into that width, which are about equally long. */
export function wrapped(words: string, width: number, size = SIZE): string[] {
  const count = linesOf(words, width, size).length;
  let narrow = width;
  while (narrow > size && linesOf(words, narrow - size, size).length === count) narrow -= size;
  return linesOf(words, narrow, size);
}

function linesOf(words: string, width: number, size: number): string[] {
  return words.split(" ").reduce<string[]>((lines, word) => {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && widthOf(longer, size) > width) return [...lines, word];
    return [...lines.slice(0, -1), longer];
  }, []);
}

/** Several lines below each other. */
export function paragraph(
  words: string,
  x: number,
  y: number,
  width: number,
  wording: Wording = {},
): { readonly svg: string; readonly bottom: number } {
  const lines = wrapped(words, width, wording.size);
  return {
    svg: lines.map((line, at) => say(line, x, y + at * LINE_HEIGHT, wording)).join(""),
    bottom: y + lines.length * LINE_HEIGHT,
  };
}

export function bar(tone: Tone, x: number, y: number, width: number, height: number): string {
  return element("rect", { class: `${tone} bar`, x, y, width, height, rx: 4 });
}

type Point = readonly [x: number, y: number];

export function line(tone: Tone, from: Point, to: Point, look = ""): string {
  return stroke(`${tone} line ${look}`.trim(), from, to);
}

/** A thin line of the page itself: a grid, a separation. */
export function rule(from: Point, to: Point): string {
  return stroke("rule", from, to);
}

function stroke(look: string, [x1, y1]: Point, [x2, y2]: Point): string {
  return element("line", { class: look, x1, y1, x2, y2 });
}

const HEAD = 6;

/** A line whose end is a head. */
export function arrow(tone: Tone, from: Point, to: Point): string {
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const corner = (turn: number): string => {
    const at = angle + Math.PI + turn;
    return `${px(to[0] + HEAD * Math.cos(at))},${px(to[1] + HEAD * Math.sin(at))}`;
  };
  const points = `${px(to[0])},${px(to[1])} ${corner(0.45)} ${corner(-0.45)}`;
  return line(tone, from, to) + element("polygon", { class: `${tone} solid`, points });
}

/** What cannot be reached, or is gone. */
export function cross(x: number, y: number, half = 5): string {
  return (
    line("bad", [x - half, y - half], [x + half, y + half]) +
    line("bad", [x - half, y + half], [x + half, y - half])
  );
}

/** The number of a note, where the note belongs. */
export function badge(number: number, x: number, y: number): string {
  return (
    element("circle", { class: "ink solid", cx: x, cy: y, r: 7.5 }) +
    say(String(number), x, y + 3.7, { anchor: "middle", size: 10.5, isBold: true, isInside: true })
  );
}

/** Numbered notes below each other. */
export function notes(
  all: readonly string[],
  top: number,
  width = PHONE_PX,
): { readonly svg: readonly string[]; readonly bottom: number } {
  const svg: string[] = [];
  let y = top;
  for (const [index, note] of all.entries()) {
    const x = MARGIN + 7.5;
    const { svg: words, bottom } = paragraph(note, x + 15, y + 4, width - x - 15 - MARGIN);
    svg.push(badge(index + 1, x, y) + words);
    y = bottom + 3;
  }
  return { svg, bottom: y - 8 };
}

export { element, type Tone };
