import { el, svg } from "./dom.js";

const ENTRIES: readonly (readonly [look: string, text: string])[] = [
  ["belief of0", "a client holds the lock, as far as it knows"],
  ["ghost client of0", "how long the lock is still valid; it shrinks until the next renewal"],
  [
    "key of1",
    "a node stores the key of a client; dashed: until it expires by the node's own clock",
  ],
  ["quarantine", "the votes of the node do not count (Quorate)"],
  ["stop", "paused, frozen or down"],
  ["both", "two clients hold the lock at once"],
];

const LINES: readonly (readonly [look: string, text: string])[] = [
  ["message of0 other", "a message on its way"],
  ["message granted", "a reply that grants"],
  ["message refused", "a reply that refuses"],
  ["message other stopped", "a message that does not arrive"],
];

/** Explains the shapes. */
export function legend(): HTMLElement {
  const boxes = ENTRIES.map(([look, text]) => {
    const box = svg("rect", { class: look, x: 1, y: 2, width: 26, height: 12, rx: 2 });
    return entry(box, text);
  });
  const lines = LINES.map(([look, text]) => {
    return entry(svg("line", { class: look, x1: 4, y1: 1, x2: 24, y2: 15 }), text);
  });
  const write = svg("circle", { class: "write of0", cx: 14, cy: 8, r: 5 });
  const no = svg("path", { class: "no", d: "M10 4l8 8m0 -8l-8 8" });
  const stores = [
    entry(write, "a write to a store; #1, #2: fencing tokens, the smallest first"),
    entry(no, "a write that the store refuses"),
  ];
  const list = el("ul", { class: "legend" }, ...boxes, ...lines, ...stores);
  return el("div", {}, el("h2", {}, "Legend"), list);
}

function entry(shape: SVGElement, text: string): HTMLElement {
  return el(
    "li",
    {},
    svg("svg", { width: 28, height: 16, "aria-hidden": "true" }, shape),
    ` ${text}`,
  );
}
