import { seatOf } from "./lanes.js";
import { clock } from "./scale.js";

/** How far the pointer may be from an item, px. */
const NEAR_PX = 5;

/** What is under the pointer, in lines of text; undefined if there is nothing. */
export function findAt(data, layout, scale, x, y) {
  const at = scale.ms(x);
  const near = scale.msPerPixel * NEAR_PX;
  const meets = (from, to) => from <= at + near && to >= at - near;
  const violation = data.violations.find(({ at: when }) => Math.abs(when - at) < near / 2);
  const lane = layout.lanes.find((one) => y >= one.y - 2 && y < one.y + one.height + 2);
  const lines = [];
  if (violation) {
    const word = violation.isExpected ? "expected" : "violation";
    lines.push([word, `${violation.id}: ${violation.message}`]);
  }
  if (lane?.kind === "node") lines.push(...onNode(data, lane.index, meets));
  if (lane?.kind === "name" || lane?.kind === "client") {
    const isOurs = (hold) =>
      lane.kind === "name"
        ? hold[3] === lane.index
        : seatOf(data.processes[hold[2]]) === lane.index;
    lines.push(...onHolds(data, isOurs, meets));
  }
  if (lane?.kind === "client") lines.push(...onClient(data, lane.index, meets));
  return lines.length === 0 ? undefined : [["when", clock(at)], ...lines];
}

function onNode({ faults, quarantines }, node, meets) {
  const lines = faults
    .filter(
      (fault) => fault.client === null && fault.nodes.includes(node) && meets(fault.from, fault.to),
    )
    .map((fault) => ["fault", `${fault.text}, ${clock(fault.from)} to ${clock(fault.to)}`]);
  const quarantine = quarantines.find(([of, from, to]) => of === node && meets(from, to));
  if (quarantine)
    lines.push(["quarantine", `until ${clock(quarantine[2])}: its acquire votes do not count`]);
  return lines;
}

function onHolds({ holds, processes, names }, isOurs, meets) {
  return holds
    .filter((hold) => meets(hold[0], hold[1]) && isOurs(hold))
    .slice(0, 4)
    .map(([from, to, process, name, token, why, asked, owner]) => {
      const held = `held for ${(to - from).toFixed(1)} ms until it ${END_WORDS[why]}`;
      const waited = `after ${(from - asked).toFixed(1)} ms`;
      const text = `${processes[process]} has ${names[name]}, granted at ${clock(from)} ${waited}, ${held}. Fencing token ${token}, owner ${owner}…`;
      return ["hold", text];
    });
}

const END_WORDS = {
  released: "was released",
  expired: "ran out",
  lost: "was lost",
  crashed: "ended with its process",
};

function onClient({ stops, marks, faults }, seat, meets) {
  return [
    ...faults
      .filter((fault) => fault.client === seat && meets(fault.from, fault.to))
      .map(({ text }) => ["fault", text]),
    ...stops
      .filter(([of, from, to]) => of === seat && meets(from, to))
      .map(([, from, to, what]) => ["stopped", `${what} for ${(to - from).toFixed(0)} ms`]),
    ...marks
      .filter(([of, at]) => of === seat && meets(at, at))
      .slice(0, 5)
      .map(([, at, what]) => ["event", `${what} at ${clock(at)}`]),
  ];
}
