import { findAt } from "./find.js";
import { watchPointers } from "./gestures.js";
import { element, paintHeader } from "./header.js";
import { layOut, LEFT } from "./lanes.js";
import { controlsOf, legendOf } from "./legend.js";
import { paintLanes } from "./paint.js";
import { paintPlots, PLOTS_HEIGHT } from "./plots.js";
import { PROMISES } from "./promises.js";
import { clock, Scale } from "./scale.js";
import { add } from "./svg.js";
import { showTooltip } from "./tooltip.js";

const ZOOM_STEP = 1.25;
const BUTTON_STEP = 2;
const OVERVIEW_HEIGHT = 30;

const data = JSON.parse(document.getElementById("data").textContent);
const chart = document.getElementById("chart");
const tooltip = document.getElementById("tooltip");
const layout = layOut(data);
const scale = new Scale(data.endMs, LEFT);
const whole = new Scale(data.endMs, LEFT);

const overview = add(chart, "svg", { class: "overview", height: OVERVIEW_HEIGHT });
chart.append(
  controlsOf([
    ["+", "zoom in", () => zoom(1 / BUTTON_STEP)],
    ["\u2212", "zoom out", () => zoom(BUTTON_STEP)],
    ["\u2190", "earlier", () => pan(-scale.width / 2)],
    ["\u2192", "later", () => pan(scale.width / 2)],
    ["all", "show all", showAll],
  ]),
);
chart.append(legendOf());
const lanes = add(chart, "svg", { class: "lanes", height: layout.height });
const plots = add(chart, "svg", { class: "plots", height: PLOTS_HEIGHT });

paintHeader(document.getElementById("header"), data);
paintList();
let isQueued = false;
paint();
addEventListener("resize", paint);

/** At most once per frame, however many events come. */
function paint() {
  if (isQueued) return;
  isQueued = true;
  requestAnimationFrame(() => {
    isQueued = false;
    Object.assign(chart.dataset, { from: scale.from, to: scale.to });
    scale.width = whole.width = chart.clientWidth - LEFT - 8;
    for (const svg of [overview, lanes, plots]) {
      svg.replaceChildren();
      svg.setAttribute("width", chart.clientWidth);
    }
    defineHatch();
    paintOverview();
    paintLanes(lanes, data, layout, scale);
    paintPlots(plots, data, scale);
  });
}

function defineHatch() {
  const of = {
    id: "hatch",
    width: 6,
    height: 6,
    patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)",
  };
  const pattern = add(add(lanes, "defs"), "pattern", of);
  add(pattern, "rect", { class: "hatch", width: 2, height: 6 });
}

/** The whole campaign in a strip, with the part that is shown below marked. */
function paintOverview() {
  const most = Math.max(1, ...data.seconds.map(([granted]) => granted));
  data.seconds.forEach(([granted], second) => {
    const height = (granted / most) * (OVERVIEW_HEIGHT - 6);
    const x = whole.x(second * 1000);
    const width = Math.max(1, whole.x((second + 1) * 1000) - x - 0.5);
    add(overview, "rect", { class: "granted", x, width, y: OVERVIEW_HEIGHT - height, height });
  });
  for (const { at, isExpected } of data.violations) {
    const x = whole.x(at);
    const kind = isExpected ? "expected" : "violation";
    add(overview, "line", { class: kind, x1: x, x2: x, y1: 0, y2: OVERVIEW_HEIGHT });
  }
  const x = whole.x(scale.from);
  const width = Math.max(3, whole.x(scale.to) - x);
  add(overview, "rect", { class: "window", x, y: 0.5, width, height: OVERVIEW_HEIGHT - 1 });
  add(overview, "text", { class: "label", x: LEFT - 8, y: 19 }, "overview");
}

function paintList() {
  const section = document.getElementById("violations");
  if (data.violations.length === 0) return;
  section.append(element("h2", "Violations, and what happened around them"));
  data.violations.forEach((violation, at) => {
    const entry = element("details");
    entry.open = at === 0;
    const word = violation.isExpected ? " (nothing is promised here)" : "";
    const summary = element(
      "summary",
      `${violation.id} at ${clock(violation.at)}${word}: ${violation.message}`,
    );
    summary.className = violation.isExpected ? "expected" : "violation";
    const button = element("button", "show");
    button.addEventListener("click", (event) => {
      event.preventDefault();
      scale.show(violation.at - 150, violation.at + 150);
      paint();
      chart.scrollIntoView({ behavior: "smooth" });
    });
    summary.append(" ", button);
    const table = element("table");
    for (const [when, process, what] of violation.around) {
      const row = element("tr");
      if (Math.abs(when - violation.at) < 0.002) row.className = "now";
      const relative = `${when >= violation.at ? "+" : ""}${(when - violation.at).toFixed(2)} ms`;
      row.append(
        element("td", clock(when, 0.01)),
        element("td", relative),
        element("td", process),
        element("td", what),
      );
      table.append(row);
    }
    const around = element("div");
    around.className = "around";
    around.append(table);
    const promise = element("p", `${violation.id} promises: ${PROMISES[violation.id]}`);
    promise.className = "promise";
    entry.append(summary, promise, around);
    entry.addEventListener("toggle", () => {
      // The instant itself is in the middle of the list.
      const now = table.querySelector(".now");
      if (now !== null) around.scrollTop = now.offsetTop - around.clientHeight / 2;
    });
    section.append(entry);
  });
}

// The pointer

function xOf(event) {
  return event.clientX - chart.getBoundingClientRect().left;
}

for (const svg of [lanes, plots]) {
  svg.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        scale.pan(event.deltaX || event.deltaY);
      } else scale.zoom(event.deltaY > 0 ? ZOOM_STEP : 1 / ZOOM_STEP, xOf(event));
      paint();
    },
    { passive: false },
  );
  svg.addEventListener("dblclick", showAll);
  watchPointers(svg, {
    drag: (pixels) => pan(-pixels),
    zoom: (factor, clientX) => {
      scale.zoom(factor, clientX - chart.getBoundingClientRect().left);
      showTooltip(tooltip, undefined);
      paint();
    },
    point: (event) => {
      const y = event.clientY - lanes.getBoundingClientRect().top;
      showTooltip(tooltip, findAt(data, layout, scale, xOf(event), y), event);
    },
    leave: () => showTooltip(tooltip, undefined),
  });
}

/** A click or drag in the overview selects the part that is shown. */
for (const type of ["pointerdown", "pointermove"]) {
  overview.addEventListener(type, (event) => {
    if (event.buttons === 0) return;
    const half = (scale.to - scale.from) / 2;
    const at = whole.ms(xOf(event));
    scale.show(at - half, at + half);
    paint();
  });
}

addEventListener("keydown", (event) => {
  if (event.key === "+") zoom(1 / ZOOM_STEP);
  else if (event.key === "-") zoom(ZOOM_STEP);
  else if (event.key === "ArrowLeft") pan(-80);
  else if (event.key === "ArrowRight") pan(80);
  else if (event.key === "0") showAll();
});

function zoom(factor) {
  scale.zoom(factor, LEFT + scale.width / 2);
  paint();
}

function pan(pixels) {
  scale.pan(pixels);
  paint();
}

function showAll() {
  scale.show(0, data.endMs);
  paint();
}
