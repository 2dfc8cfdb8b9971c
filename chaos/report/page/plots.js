import { LEFT } from "./lanes.js";
import { add, Boxes } from "./svg.js";

const RATE = { y: 44, height: 60 };
const LATENCY = { y: 158, height: 84 };
export const PLOTS_HEIGHT = 250;
/** Latencies are drawn on a logarithmic scale, from 1 ms to this, ms. */
const SLOWEST_MS = 2000;

/** Draws what the clients were granted and how fast, on the same axis as the lanes. */
export function paintPlots(svg, data, scale) {
  for (const at of scale.ticks(110).ticks) {
    const x = scale.x(at);
    add(svg, "line", { class: "tick", x1: x, x2: x, y1: RATE.y, y2: PLOTS_HEIGHT });
  }
  paintRate(svg, data, scale);
  paintLatency(svg, data, scale);
}

function paintRate(svg, { seconds }, scale) {
  const most = Math.max(1, ...seconds.map(([granted, held, failed]) => granted + held + failed));
  heading(svg, RATE.y, "Availability: acquires a second", [
    ["granted", "granted"],
    ["refused", "held by others"],
    ["failed", "failed: no quorum"],
  ]);
  grid(svg, scale, RATE.y, String(most));
  grid(svg, scale, RATE.y + RATE.height, "0");
  const layers = [new Boxes(), new Boxes(), new Boxes()];
  seconds.forEach((counts, second) => {
    if ((second + 1) * 1000 < scale.from || second * 1000 > scale.to) return;
    const x = Math.max(scale.x(second * 1000), LEFT);
    const width = Math.min(scale.x((second + 1) * 1000), LEFT + scale.width) - x;
    let y = RATE.y + RATE.height;
    counts.forEach((count, layer) => {
      if (count === 0) return;
      const height = (count / most) * RATE.height;
      y -= height;
      layers[layer].add(x, y, width > 3 ? width - 1 : width, height);
    });
  });
  ["granted", "refused", "failed"].forEach((name, at) => layers[at].paint(svg, { class: name }));
}

function paintLatency(svg, { probes }, scale) {
  heading(svg, LATENCY.y, "Latency: acquires of names without rivals", [
    ["probe", "granted"],
    ["failed", "failed: no quorum"],
  ]);
  const y = (ms) => {
    const share = Math.log(Math.min(Math.max(ms, 1), SLOWEST_MS)) / Math.log(SLOWEST_MS);
    return LATENCY.y + LATENCY.height * (1 - share);
  };
  for (const ms of [1, 10, 100, 1000]) grid(svg, scale, y(ms), ms < 1000 ? `${ms} ms` : "1 s");
  const dots = [new Boxes(), new Boxes()];
  for (const [at, took, granted] of probes) {
    if (at < scale.from || at > scale.to) continue;
    dots[granted].add(scale.x(at) - 1.5, y(took) - 1.5, 3, 3);
  }
  dots[1].paint(svg, { class: "probe" });
  dots[0].paint(svg, { class: "failed" });
}

/** The title of a plot, with its color key below. */
function heading(svg, y, text, key) {
  add(svg, "text", { class: "title", x: 0, y: y - 24 }, text);
  let x = 0;
  for (const [name, word] of key) {
    add(svg, "rect", { class: name, x, y: y - 17, width: 10, height: 10, rx: 2 });
    const label = add(svg, "text", { class: "key", x: x + 15, y: y - 8 }, word);
    x += label.getComputedTextLength() + 33;
  }
}

function grid(svg, scale, y, text) {
  add(svg, "line", { class: "grid", x1: LEFT, x2: LEFT + scale.width, y1: y, y2: y });
  add(svg, "text", { class: "label", x: LEFT - 8, y: y + 4 }, text);
}
