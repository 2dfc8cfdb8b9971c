import { clientColor, familyOf, LEFT, seatOf } from "./lanes.js";
import { clock } from "./scale.js";
import { add, Boxes } from "./svg.js";

/** Bars narrower than this are merged with their neighbors, px. */
const MERGE_PX = 1;
const LABEL_PX = 46;

/** Draws the lanes for the visible part of time. */
export function paintLanes(svg, data, layout, scale) {
  paintGround(svg, layout, scale);
  const ofKind = (kind) => layout.lanes.filter((lane) => lane.kind === kind);
  for (const lane of ofKind("node")) paintNode(svg, data, lane, scale);
  for (const lane of ofKind("name")) {
    paintHolds(svg, data, lane, scale, (hold) => hold[3] === lane.index);
    paintOverlaps(svg, data, lane, scale);
  }
  for (const lane of ofKind("client")) paintClient(svg, data, lane, scale);
  paintEndOfFaults(svg, data, layout, scale);
  paintViolations(svg, data, layout, scale);
}

function paintGround(svg, { lanes, titles, height }, scale) {
  const { ticks, step } = scale.ticks(110);
  for (const at of ticks) {
    const x = scale.x(at);
    add(svg, "line", { class: "tick", x1: x, x2: x, y1: 14, y2: height });
    if (x > LEFT + scale.width - 40) continue;
    add(svg, "text", { class: "tickText", x: x + 3, y: 10 }, clock(at, step));
  }
  for (const { text, y } of titles) add(svg, "text", { class: "title", x: 0, y }, text);
  for (const { label, y, height: h } of lanes) {
    add(svg, "rect", { class: "lane", x: LEFT, y, width: scale.width, height: h });
    add(svg, "text", { class: "label", x: LEFT - 8, y: y + h - 5 }, label);
  }
}

function paintNode(svg, { faults, quarantines }, lane, scale) {
  const boxes = new Boxes();
  for (const [node, from, to] of quarantines) {
    if (node === lane.index)
      span(scale, from, to, (x, width) => boxes.add(x, lane.y, width, lane.height));
  }
  boxes.paint(svg, { class: "quarantine" });
  // A cut of a client does not disturb the node: it is drawn in the client's lane.
  const ours = faults.filter(({ nodes, client }) => client === null && nodes.includes(lane.index));
  ours.forEach((fault, at) => {
    span(scale, fault.from, fault.to, (x, width) => {
      const family = familyOf(fault.kind);
      // A wrong clock is not an outage: it is drawn below the node's other faults.
      const isThin = fault.kind === "clockRate";
      const y = isThin ? lane.y + lane.height - 4 : lane.y;
      const height = isThin ? 4 : lane.height;
      const shown = Math.max(width, 2.5);
      add(svg, "rect", { class: `fault ${family}`, x, y, width: shown, height });
      const next = ours.slice(at + 1).find(({ kind }) => kind !== "clockRate");
      const room = next === undefined ? width : Math.min(width, scale.x(next.from) - x);
      if (!isThin) barText(svg, lane, x, room, fault.kind, "faultText");
    });
  });
}

function paintHolds(svg, { holds, processes }, lane, scale, isOurs) {
  const bySeat = new Map();
  const texts = [];
  let open;
  const close = () => {
    if (open === undefined) return;
    if (!bySeat.has(open.seat)) bySeat.set(open.seat, new Boxes());
    bySeat.get(open.seat).add(open.x, lane.y + 2, open.to - open.x, lane.height - 4);
    open = undefined;
  };
  for (const hold of holds) {
    if (hold[0] > scale.to) break;
    if (hold[1] < scale.from || !isOurs(hold)) continue;
    span(scale, hold[0], hold[1], (x, width) => {
      const seat = seatOf(processes[hold[2]]);
      if (open?.seat === seat && x - open.to < MERGE_PX) {
        open.to = Math.max(open.to, x + width);
        return;
      }
      close();
      open = { seat, x, to: x + width };
      const text = lane.kind === "name" ? processes[hold[2]] : `job:${hold[3]}`;
      if (width > LABEL_PX) texts.push([x, width, text]);
    });
  }
  close();
  for (const [seat, boxes] of bySeat) boxes.paint(svg, { class: "hold", fill: clientColor(seat) });
  for (const [x, width, text] of texts) barText(svg, lane, x, width, text, "holdText");
}

/** Two holders at once: this must never happen. */
function paintOverlaps(svg, { holds }, lane, scale) {
  let heldUntil = 0;
  for (const [from, to, , name] of holds) {
    if (name !== lane.index) continue;
    const end = Math.min(heldUntil, to);
    if (end > from) {
      span(scale, from, end, (x, width) => {
        const shown = Math.max(width, 2);
        add(svg, "rect", { class: "overlap", x, y: lane.y, width: shown, height: lane.height });
      });
    }
    heldUntil = Math.max(heldUntil, to);
  }
}

function paintClient(svg, data, lane, scale) {
  paintHolds(svg, data, lane, scale, (hold) => seatOf(data.processes[hold[2]]) === lane.index);
  const { y, height } = lane;
  for (const { client, nodes, from, to } of data.faults) {
    if (client !== lane.index || nodes.length === 0) continue;
    span(scale, from, to, (x, width) => {
      const shown = Math.max(width, 1.5);
      add(svg, "rect", { class: "cut", x, y: y + height - 4, width: shown, height: 5 });
    });
  }
  for (const [seat, from, to, what] of data.stops) {
    if (seat !== lane.index) continue;
    span(scale, from, to, (x, width) => {
      const shown = Math.max(width, 1.5);
      add(svg, "rect", { class: `stop ${what}`, x, y, width: shown, height });
    });
  }
  for (const [seat, at, what] of data.marks) {
    if (seat !== lane.index || at < scale.from || at > scale.to) continue;
    const x = scale.x(at);
    if (what.startsWith("killed")) {
      add(svg, "path", { class: "killed", d: `M${x - 4} ${y + 5}l8 8m0-8l-8 8` });
    } else if (what.startsWith("started")) {
      add(svg, "path", { class: "started", d: `M${x} ${y + 3}v${height - 6}` });
    } else {
      const kind = what.startsWith("lost") ? "lost" : "rejected";
      add(svg, "path", { class: kind, d: `M${x - 4} ${y - 1}h8l-4 7z` });
    }
  }
}

/** From here on everything is healed, and must recover. */
function paintEndOfFaults(svg, { settings }, { height }, scale) {
  const at = settings.durationMs;
  if (at < scale.from || at > scale.to) return;
  const x = scale.x(at);
  add(svg, "line", { class: "endOfFaults", x1: x, x2: x, y1: 14, y2: height });
  const isAtEdge = x > LEFT + scale.width - 70;
  const place = isAtEdge ? { x: x - 4, "text-anchor": "end" } : { x: x + 4 };
  add(svg, "text", { class: "tickText", y: 24, ...place }, "faults end");
}

function paintViolations(svg, { violations }, { height }, scale) {
  let freeFrom = 0;
  for (const { at, id, isExpected } of violations) {
    if (at < scale.from || at > scale.to) continue;
    const x = scale.x(at);
    const kind = isExpected ? "expected" : "violation";
    add(svg, "line", { class: kind, x1: x, x2: x, y1: 14, y2: height });
    if (x < freeFrom) continue;
    freeFrom = x + 22;
    add(svg, "text", { class: `${kind}Text`, x: x + 3, y: 24 }, id);
  }
}

/** The visible part of a span. */
function span(scale, from, to, paint) {
  if (to < scale.from || from > scale.to) return;
  const x = Math.max(scale.x(from), LEFT);
  paint(x, Math.min(scale.x(to), LEFT + scale.width) - x);
}

function barText(svg, lane, x, width, text, className) {
  if (width < text.length * 6.4 + 8) return;
  add(svg, "text", { class: className, x: x + 5, y: lane.y + lane.height - 5.5 }, text);
}
