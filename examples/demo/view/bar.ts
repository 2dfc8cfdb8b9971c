import type { Cell, Style } from "./cells.js";

/** Whether the terminal shows more than ASCII, as far as the environment tells. */
function isUnicode(env: NodeJS.ProcessEnv): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  // A container knows no locale, but the terminal in front of it does; a multiplexer inside does not.
  if (locale === undefined) return env["TMUX"] === undefined && env["STY"] === undefined;
  return /utf-?8/i.test(locale);
}

const [FULL, EMPTY] = isUnicode(process.env) ? ["█", "░"] : ["#", "."];

/** How much of the whole is left, as two cells. */
export function bar(part: number, width: number, style: Style): [Cell, Cell] {
  const fullWidth = Math.round(Math.min(1, Math.max(0, part)) * width);
  return [
    [FULL.repeat(fullWidth), style],
    [EMPTY.repeat(width - fullWidth), "dim"],
  ];
}
