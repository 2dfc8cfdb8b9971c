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

/** A whole file, on white, so that it is readable on dark pages too. */
export function svgFile(title: string, width: number, height: number, ...body: string[]): string {
  const root = element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${width} ${height}`,
      width: width * ENLARGED,
      height: height * ENLARGED,
      role: "img",
      "font-family": "system-ui, sans-serif",
      "font-size": 12.5,
      fill: "#333",
    },
    element("title", {}, escaped(title)),
    element("rect", { width, height, fill: "#fff" }),
    ...body.map((part) => `\n${part}`),
  );
  return `${root}\n`;
}

/** Hundredths of a pixel are enough, and keep files small. */
const shown = (value: string | number): string =>
  typeof value === "number" ? `${Math.round(value * 100) / 100}` : value;

/** As the text of an element, or the value of an attribute. */
export function escaped(content: string): string {
  return content
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
