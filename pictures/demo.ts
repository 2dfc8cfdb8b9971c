import { readFileSync } from "node:fs";
import type { Cell, Line, Style } from "../examples/demo/view/cells.js";
import type { Recorded } from "../examples/demo/view/recording.js";
import { element, escaped, px, svgFile, text } from "./svg.js";

/** A recording of `npm run demo`, which this is drawn from. */
const FILE = "pictures/demo.json";

const COLUMNS = 79;
const ROWS = 23;
const SIZE = 12;
const CHARACTER = 7.3;
const LINE_HEIGHT = 17;
const MARGIN = 14;
/** The line above, with the command. */
const TOP = 40;
const WIDTH = Math.ceil(2 * MARGIN + COLUMNS * CHARACTER);
const HEIGHT = TOP + ROWS * LINE_HEIGHT + MARGIN;

/** Between two frames at least, and how long the last one stands, ms. */
const STEP_MS = 1_000;
const STANDS_MS = 5_000;

/** The classes of the styles of a terminal. */
const CLASSES: Readonly<Record<string, string>> = {
  bold: "bold",
  dim: "soft",
  cyan: "a",
  magenta: "b",
  green: "good",
  red: "bad",
  yellow: "warn",
};

const STYLE = [
  "text{white-space:pre}",
  ".bold{font-weight:600}",
  ".warn{--line:#9a6700}",
  "@media (prefers-color-scheme:dark){.warn{--line:#d29922}}",
].join("\n");

export function readRecording(): Recorded {
  return JSON.parse(readFileSync(FILE, "utf8")) as Recorded;
}

/** Frames from the first scene on that are far enough apart, and the last one. */
function shownOf({ lines, frames, scenes: [first = ""] }: Recorded): Recorded["frames"] {
  const begun = lines.findIndex((line) => line.some(([words]) => words === first));
  const from = Math.max(
    0,
    frames.findIndex((frame) => frame.lines.includes(begun)),
  );
  return frames.slice(from).reduce<Recorded["frames"][number][]>((shown, frame, at, all) => {
    const lastMs = shown.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
    if (at === all.length - 1) return [...shown, frame];
    return frame.atMs - lastMs < STEP_MS ? shown : [...shown, frame];
  }, []);
}

export function demoInWords({ scenes }: Recorded): string {
  return `The terminal of npm run demo, as a loop: five Redis servers, and the services A and B. ${scenes.join(" ")}`;
}

/** A terminal over time: its frames lie side by side on a film that jumps from one to the next. */
export function demoPicture(recorded: Recorded): string {
  const shown = shownOf(recorded);
  const used = [...new Set(shown.flatMap(({ lines }) => lines.slice(0, ROWS)))];
  const nameOf = (line: number): string => `l${used.indexOf(line)}`;
  const isEmpty = (line: number): boolean => (recorded.lines[line] ?? []).length === 0;
  const lines = used
    .filter((line) => !isEmpty(line))
    .map((line) => {
      return element("g", { id: nameOf(line) }, ...lineParts(recorded.lines[line] ?? []));
    });
  const frames = shown.map(({ lines: numbers }, at) =>
    element(
      "g",
      { transform: `translate(${at * WIDTH})` },
      ...numbers.slice(0, ROWS).flatMap((line, row) => {
        return isEmpty(line)
          ? []
          : [element("use", { href: `#${nameOf(line)}`, y: row * LINE_HEIGHT })];
      }),
    ),
  );
  const view = { x: 0, y: TOP, width: WIDTH, height: ROWS * LINE_HEIGHT };
  return svgFile(
    {
      title: "npm run demo",
      ...{ width: WIDTH, height: HEIGHT, fontSize: SIZE },
      style: `${STYLE}\n${motion(shown.map(({ atMs }) => atMs))}`,
    },
    element(
      "g",
      { "font-family": "ui-monospace, Menlo, Consolas, monospace" },
      text("$ npm run demo", MARGIN, 26, { class: "soft" }),
      element("defs", {}, ...lines),
      element(
        "svg",
        { ...view, viewBox: `0 0 ${view.width} ${view.height}` },
        element("g", { class: "film" }, ...frames),
      ),
    ),
  );
}

/** The cells of a line, each in its column, whatever the font is. */
function lineParts(line: Line): string[] {
  let column = 0;
  return line.flatMap((cell) => {
    const x = px(MARGIN + column * CHARACTER);
    column += cell[0].length;
    return cell[0].trim() === "" ? [] : [partOf(cell, x)];
  });
}

function partOf([content, style]: Cell, x: number): string {
  const look = classOf(style);
  const width = px(content.length * CHARACTER);
  if (/^[█░]+$/.test(content)) {
    const isFull = content.startsWith("█");
    const box = { x, y: 4, width, height: 11, ...(isFull ? {} : { opacity: 0.3 }) };
    return element("rect", { class: `${look} solid`, ...box });
  }
  const spaces = content.length - content.trimStart().length;
  const at = px(x + spaces * CHARACTER);
  return element(
    "text",
    { ...(look !== "" && { class: look }), x: at, y: 13 },
    escaped(content.trim()),
  );
}

function classOf(style: Style | undefined): string {
  return [style ?? []]
    .flat()
    .flatMap((name) => CLASSES[name] ?? [])
    .join(" ");
}

/** Stands at its end for readers who prefer that nothing moves. */
function motion(atMs: readonly number[]): string {
  const fromMs = atMs[0] ?? 0;
  const allMs = (atMs.at(-1) ?? 0) - fromMs + STANDS_MS;
  const to = (at: number): string => `transform:translateX(${at === 0 ? 0 : -at * WIDTH}px)`;
  const steps = atMs.map((ms, at) => `${px((100 * (ms - fromMs)) / allMs)}%{${to(at)}}`);
  return [
    `.film{${to(atMs.length - 1)}}`,
    "@media (prefers-reduced-motion:no-preference){",
    `.film{animation:film ${px(allMs / 1_000)}s steps(1,end) infinite}`,
    `@keyframes film{${steps.join("")}100%{${to(atMs.length - 1)}}}`,
    "}",
  ].join("\n");
}
