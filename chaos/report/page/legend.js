import { element } from "./header.js";

/** Class of a mark, and its meaning. A mark with a text is drawn as text, without one as a patch of color. */
const MARKS = [
  ["down", "down"],
  ["frozen", "frozen"],
  ["network", "network fault"],
  ["memory", "flushed"],
  ["clock", "wrong clock"],
  ["quarantine", "quarantine: votes do not count"],
  ["stop", "client stopped"],
  ["cut", "client cut off from nodes"],
  ["killedMark", "killed", "✕"],
  ["startedMark", "started again", "❙"],
  ["lostMark", "lock lost", "▼"],
  ["rejectedMark", "rejected by the store", "▼"],
  ["bad", "two clients hold a name"],
];

/** Explains the colors, marks and names of the chart. */
export function legendOf() {
  const legend = element("div");
  legend.className = "legend";
  const list = element("ul");
  for (const [name, meaning, mark] of MARKS) {
    const item = element("li");
    const sign = element(mark === undefined ? "i" : "b", mark);
    sign.className = name;
    item.append(sign, meaning);
    list.append(item);
  }
  const ids = element(
    "p",
    "job:0, job:1 … are the names that clients contend for. A bar in a name's lane is a lock, in the color of the " +
      "client that holds it. c2.1 is client 2 after it was killed and started again once.",
  );
  legend.append(list, ids);
  return legend;
}

/** Buttons with the functions of wheel, fingers and keys. */
export function controlsOf(actions) {
  const controls = element("p");
  controls.className = "controls";
  for (const [sign, name, act] of actions) {
    const button = element("button", sign);
    button.type = "button";
    button.title = name;
    button.setAttribute("aria-label", name);
    button.addEventListener("click", act);
    controls.append(button);
  }
  const hint = matchMedia("(pointer: coarse)").matches
    ? "tap: details; one finger: move; two fingers: zoom"
    : "point: details; drag: move; wheel: zoom; double click: all";
  controls.append(element("span", hint));
  return controls;
}
