import { styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];
/** A text, all of it in one style. */
export type Cell = readonly [text: string, style?: Style];
export type Line = readonly Cell[];

/** The line with its styles, cut to the width: a line that wraps would tear the view. */
export function render(line: Line, width: number): string {
  let leftWidth = width;
  let text = "";
  for (const [content, style] of line) {
    const fitting = content.slice(0, leftWidth);
    leftWidth -= fitting.length;
    text += style === undefined || fitting === "" ? fitting : styleText(style, fitting);
  }
  return text;
}

/** Of fixed width, for columns. */
export function cell(text: string, width: number, style?: Style): Cell {
  const fitting = text.slice(0, width).padEnd(width);
  return style === undefined ? [fitting] : [fitting, style];
}
