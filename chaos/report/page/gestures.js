/** A press that moves further than this is a drag, px. */
const SLOP_PX = 6;

/**
 * Mouse, pen and fingers on a part of the chart: a press without movement is a tap, one pointer drags, two zoom.
 * Vertical scrolling of the page stays with the browser.
 *
 * @param on `drag(px)`, `zoom(factor, event)`, `point(event)` for a tap or a hovering mouse, and `leave(event)`
 */
export function watchPointers(svg, on) {
  /** Position of each pointer that is down, by its id. */
  const down = new Map();
  let hasMoved = false;
  const spread = () => {
    const [a, b] = [...down.values()];
    return Math.max(1, Math.abs(a.x - b.x));
  };
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    svg.classList.add("dragged");
    if (down.size === 0) hasMoved = false;
    down.set(event.pointerId, { x: event.clientX, startX: event.clientX });
  });
  svg.addEventListener("pointermove", (event) => {
    const pointer = down.get(event.pointerId);
    if (pointer === undefined) {
      on.point(event);
      return;
    }
    if (down.size > 1) {
      const before = spread();
      pointer.x = event.clientX;
      hasMoved = true;
      const [a, b] = [...down.values()];
      on.zoom(before / spread(), (a.x + b.x) / 2);
      return;
    }
    if (!hasMoved && Math.abs(event.clientX - pointer.startX) < SLOP_PX) return;
    hasMoved = true;
    on.drag(event.clientX - pointer.x);
    pointer.x = event.clientX;
    on.leave(event);
  });
  const up = (event) => {
    down.delete(event.pointerId);
    if (down.size === 0) svg.classList.remove("dragged");
  };
  svg.addEventListener("pointerup", (event) => {
    up(event);
    if (!hasMoved) on.point(event);
  });
  svg.addEventListener("pointercancel", up);
  svg.addEventListener("pointerleave", (event) => {
    // Lifting a finger also leaves, but what it tapped on stays visible.
    if (event.pointerType === "mouse") on.leave(event);
  });
}
