/** An element with its attributes and children; text children must be escaped by {@link text}. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly string[]
): string {
  const list = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(shown(value))}"`,
  );
  const head = `<${name}${list.join("")}`;
  return children.length === 0 ? `${head}/>` : `${head}>${children.join("")}</${name}>`;
}

/** Text at a point. */
export function text(
  content: string,
  x: number,
  y: number,
  attributes: Readonly<Record<string, string | number>> = {},
): string {
  return element("text", { x, y, ...attributes }, escaped(content));
}

/** How much larger than on a phone it is shown if there is room. */
const ENLARGED = 4 / 3;
/** What is wider than that is as large as there is room. */
const WIDEST_ENLARGED = 480;

/** A and B are the first and the second holder, in all pictures. Series are those of charts. */
export type Tone = "a" | "b" | "good" | "bad" | "soft" | "ink";

const TONES: Readonly<Record<Tone, readonly [light: Pair, dark: Pair]>> = {
  a: [
    ["#0969da", "#ddf0ff"],
    ["#58a6ff", "#16304f"],
  ],
  b: [
    ["#bc4c00", "#ffebda"],
    ["#f0883e", "#45270f"],
  ],
  good: [
    ["#1a7f37", "#dcf7e2"],
    ["#3fb950", "#14371f"],
  ],
  bad: [
    ["#cf222e", "#ffe9e7"],
    ["#f8736b", "#471d20"],
  ],
  soft: [
    ["#59636e", "#eff2f5"],
    ["#9198a1", "#21272f"],
  ],
  ink: [
    ["#1f2328", "#ffffff"],
    ["#f0f6fc", "#0d1117"],
  ],
};

/** A line, and the area that it encloses. */
type Pair = readonly [line: string, wash: string];

const RULE = ["#d1d9e0", "#3d444d"] as const;

/** Custom properties of all tones; `at` is 0 for light, 1 for dark. */
function palette(at: 0 | 1): string {
  const tones = Object.entries(TONES).map(([tone, pairs]) => {
    const [line, wash] = pairs[at];
    return `--${tone}:${line};--${tone}-wash:${wash};`;
  });
  return `:root{${tones.join("")}--rule:${RULE[at]}}`;
}

const STYLE = [
  palette(0),
  `@media (prefers-color-scheme:dark){${palette(1)}}`,
  ...Object.keys(TONES).map((tone) => `.${tone}{--line:var(--${tone});--wash:var(--${tone}-wash)}`),
  "text{fill:var(--line,var(--ink))}",
  ".solid{fill:var(--line)}",
  ".stroke{fill:none;stroke:var(--line)}",
  ".rule{stroke:var(--rule)}",
].join("\n");

export interface SvgFile {
  /** What the picture is of, for those who hear it. */
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly fontSize: number;
  readonly style?: string;
}

/**
 * A whole file, on a ground of its own, which is light or dark as its reader's page is. It stands alone (GitHub shows
 * it as an image): no script, no font of its own.
 */
export function svgFile(
  { title, width, height, fontSize, style = "" }: SvgFile,
  ...body: readonly string[]
): string {
  const scale = width <= WIDEST_ENLARGED ? ENLARGED : 1;
  const edge = { x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 8 };
  const root = element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${width} ${height}`,
      width: width * scale,
      height: height * scale,
      role: "img",
      "font-family": "system-ui, sans-serif",
      "font-size": fontSize,
    },
    element("title", {}, escaped(title)),
    element("style", {}, `\n${STYLE}\n${style}`),
    element("rect", { class: "rule", ...edge, fill: "var(--ink-wash)" }),
    ...body.map((part) => `\n${part}`),
  );
  return `${root}\n`;
}

/** Hundredths of a pixel are enough, and keep files small. */
export const px = (value: number): number => Math.round(value * 100) / 100;

const shown = (value: string | number): string =>
  typeof value === "number" ? `${px(value)}` : value;

/** As the text of an element, or the value of an attribute. */
export function escaped(content: string): string {
  return content
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
