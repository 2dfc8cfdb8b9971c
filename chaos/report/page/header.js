import { clock } from "./scale.js";

/** The results of the campaign, in a row of figures above the chart. */
export function paintHeader(header, data) {
  const { settings, figures, violations } = data;
  const broken = violations.filter(({ isExpected }) => !isExpected);
  const expectedCount = violations.length - broken.length;
  const isSafe = broken.length === 0;
  const planted = settings.plant === undefined ? "" : `, planted bug: ${settings.plant}`;
  const title = element("h1", `Campaign ${settings.seed}`);
  const badge = element("span", isSafe ? "no violation" : plural(broken.length, "violation"));
  badge.className = isSafe ? "badge good" : "badge bad";
  title.append(badge);
  const about =
    `${settings.nodeCount} nodes, ${settings.clientCount} clients (${figures.processCount} processes), ` +
    `${clock(settings.durationMs, 1000)} of faults, profile ${settings.profile}, ` +
    `schedule ${settings.schedule}${planted}, ttl ${settings.ttlMs} ms`;
  const { results, ownLatencyMs: own } = figures;
  const tiles = element("dl");
  const tile = (value, name, hint = "") => {
    const box = element("div");
    box.append(element("dt", name), element("dd", value));
    if (hint !== "") box.append(element("dd", hint));
    tiles.append(box);
  };
  tile(figures.callCount.toLocaleString("en"), "calls");
  tile((results.acquire.granted ?? 0).toLocaleString("en"), "locks granted", list(results.acquire));
  tile(figures.updateCount.fenced.toLocaleString("en"), "fenced updates");
  tile(String(figures.rejectedCount), "rejected by the store");
  tile(list(figures.lostByReason) || "0", "lost");
  tile(String(figures.faultCount), "faults", list(figures.faultsByKind));
  tile(share(figures.availability), "availability", "of acquires of names without rivals");
  tile(`${number(own.p50)} / ${number(own.p99)} ms`, "latency p50 / p99");
  tile(
    `${number(figures.smallestTakeoverMs)} ms`,
    "closest takeover",
    "from the end of a belief to the next grant",
  );
  if (expectedCount > 0) tile(String(expectedCount), "outside the model");
  header.append(title, element("p", about), tiles);
}

/** A new element, with a text if one is given. */
export function element(tag, text = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function list(counts) {
  const entries = Object.entries(counts).toSorted((a, b) => b[1] - a[1]);
  return entries.map(([what, count]) => `${count} ${what}`).join(", ");
}

function plural(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function number(value) {
  return value === null ? "–" : value.toFixed(Math.abs(value) < 10 ? 1 : 0);
}

function share(value) {
  return value === null ? "–" : `${(value * 100).toFixed(value === 1 ? 0 : 2)} %`;
}
