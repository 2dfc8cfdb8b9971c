import type { Target } from "../world/changes.js";
import { offsetMs } from "../world/node-clocks.js";
import type { Played } from "../world/play.js";
import { button, el } from "./dom.js";
import type { Row } from "./lanes.js";
import { offsetText } from "./side.js";

/** How much a clock is set per px that it is dragged, and per key press, ms. */
const DRAG_MS = 50;
const KEY_MS = 500;

interface Handles {
  readonly onChoose: (target: Target) => void;
  readonly onSetClock: (node: number, byMs: number) => void;
}

/** The label of a lane: a button that selects it, and for a node its clock, which can be dragged. */
export function labelOf(
  { kind, index, label }: Row,
  played: Played,
  handles: Handles,
): HTMLElement {
  if (kind === "store") return el("div", { class: "label store" }, label);
  const target: Target =
    kind === "node" ? { kind, node: index } : { kind: "client", client: index };
  const name = button(label, () => handles.onChoose(target), {
    title: `change ${label}`,
    class: `name of${index}`,
  });
  if (kind === "client") return el("div", { class: "label client" }, name);
  return el("div", { class: "label node" }, name, clockOf(index, played, handles));
}

function clockOf(node: number, { scenario }: Played, { onSetClock }: Handles): HTMLElement {
  const clock = el("span", {
    class: "clock",
    role: "slider",
    tabindex: 0,
    "data-node": node,
    "aria-label": `clock of node ${node}; arrow keys and enter set it`,
    "aria-valuemin": -60_000,
    "aria-valuemax": 60_000,
    "aria-valuenow": Math.round(offsetMs(scenario, node, 0)),
    title: "drag sideways to set this clock",
  });
  clock.textContent = offsetText(0);
  let byMs = 0;
  const show = (to: number): void => {
    byMs = Math.min(60_000, Math.max(-60_000, to));
    clock.classList.toggle("dragged", byMs !== 0);
    if (byMs !== 0) clock.textContent = offsetText(byMs);
    clock.setAttribute("aria-valuenow", String(byMs));
    clock.setAttribute("aria-valuetext", `set by ${offsetText(byMs)}`);
  };
  const commit = (): void => {
    const set = byMs;
    show(0);
    if (set !== 0) onSetClock(node, set);
  };
  clock.addEventListener("pointerdown", (down) => {
    clock.setPointerCapture(down.pointerId);
    const move = (event: PointerEvent): void =>
      show(Math.round(event.clientX - down.clientX) * DRAG_MS);
    clock.addEventListener("pointermove", move);
    const end = (event: PointerEvent): void => {
      clock.removeEventListener("pointermove", move);
      if (event.type === "pointercancel") show(0);
      commit();
    };
    clock.addEventListener("pointerup", end, { once: true });
    clock.addEventListener("pointercancel", end, { once: true });
  });
  clock.addEventListener("keydown", (event) => {
    if (event.key === "ArrowRight" || event.key === "ArrowUp") show(byMs + KEY_MS);
    else if (event.key === "ArrowLeft" || event.key === "ArrowDown") show(byMs - KEY_MS);
    else if (event.key === "Escape") show(0);
    else if (event.key === "Enter") commit();
    else return;
    event.preventDefault();
  });
  clock.addEventListener("blur", () => show(0));
  return clock;
}
