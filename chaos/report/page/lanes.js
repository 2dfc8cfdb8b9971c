/** Room for the lane names, on a phone as well. */
export const LEFT = 62;
const GAP = 26;
const HEIGHTS = { node: 22, name: 22, client: 22 };
const TITLES = { node: "Nodes", name: "Names: who holds them", client: "Clients: what they hold" };

/** All lanes from top to bottom, and their total height. */
export function layOut({ settings, names }) {
  const lanes = [];
  const titles = [];
  let y = 30;
  const group = (kind, labels) => {
    titles.push({ text: TITLES[kind], y: y - 7 });
    labels.forEach((label, index) => {
      lanes.push({ kind, index, label, y, height: HEIGHTS[kind] - 4 });
      y += HEIGHTS[kind];
    });
    y += GAP;
  };
  const numbered = (count, word) => Array.from({ length: count }, (_, at) => `${word} ${at}`);
  group("node", numbered(settings.nodeCount, "node"));
  group("name", names);
  group("client", numbered(settings.clientCount, "client"));
  return { lanes, titles, height: y - GAP + 6 };
}

/** A color for each client; neighbors are far apart. */
export function clientColor(seat) {
  const fixed = [
    "#3b82c4",
    "#e08a2e",
    "#4ba36b",
    "#b5589e",
    "#8a7a3d",
    "#2fa7a7",
    "#7d6bd0",
    "#c7636b",
  ];
  return fixed[seat] ?? `hsl(${(seat * 137.5) % 360} 45% 52%)`;
}

const FAMILIES = {
  down: ["kill", "empty", "majorityEmpty", "relay"],
  frozen: ["freeze", "clientFreeze", "stopAfterCheck"],
  network: ["blackhole", "hold", "late", "refuse", "reset", "lostReply", "delay", "slow"],
  memory: ["flush", "scriptFlush"],
  clock: ["clockRate", "clockSlew", "clockStep", "clockJump"],
};

/** The family of a fault; each family has its own color. */
export function familyOf(kind) {
  return Object.keys(FAMILIES).find((family) => FAMILIES[family].includes(kind)) ?? "network";
}

export function seatOf(process) {
  return Number(process.slice(1).split(".")[0]);
}
