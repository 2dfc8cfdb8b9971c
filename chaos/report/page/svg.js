const NS = "http://www.w3.org/2000/svg";

/** Adds an SVG element. */
export function add(parent, tag, attributes = {}, text) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

/** One path for many rectangles: a thousand elements would make zooming slow. */
export class Boxes {
  #d = "";

  add(x, y, width, height) {
    const w = Math.max(width, 0.6).toFixed(1);
    this.#d += `M${x.toFixed(1)} ${y}h${w}v${height}h-${w}z`;
  }

  paint(parent, attributes) {
    if (this.#d !== "") add(parent, "path", { ...attributes, d: this.#d });
  }
}
