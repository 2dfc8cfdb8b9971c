import type { KeyReading, NodeWatch } from "../node-watch.js";
import type { ServiceProcess } from "../service-process.js";
import { MAX_TTL_MS, TTL_MS } from "../settings.js";
import { bar } from "./bar.js";
import { cell, type Cell, type Line, type Style } from "./cells.js";
import { colourOf, type Columns, seconds } from "./look.js";

/** `node 3  :40123  votes   key of A   #########....  1.3 s` */
export function nodeLane(
  index: number,
  port: number,
  watch: NodeWatch | undefined,
  services: readonly ServiceProcess[],
  columns: Columns,
): Line {
  const { key, isUp = false } = watch ?? {};
  const quarantineMs = Math.max(
    0,
    ...services.map(({ status }) => status.nodes[index]?.quarantineLeftMs ?? 0),
  );
  const [state, style] = stateOf(index, isUp, quarantineMs, services);
  return [
    cell(` node ${index + 1}`, columns.name, isUp ? "bold" : "dim"),
    cell(`:${port}`, columns.place, "dim"),
    cell(state, columns.state, style),
    ...keyCells(isUp, key, quarantineMs, columns),
  ];
}

function stateOf(
  index: number,
  isUp: boolean,
  quarantineMs: number,
  services: readonly ServiceProcess[],
): [string, Style] {
  if (!isUp) return ["dead", "red"];
  if (quarantineMs > 0) return [`quarantine ${seconds(quarantineMs)}`, "yellow"];
  const isReady = services.every(({ status }) => status.nodes[index]?.state === "ready");
  return isReady ? ["votes", "green"] : ["not connected", "dim"];
}

function keyCells(
  isUp: boolean,
  key: KeyReading | undefined,
  quarantineMs: number,
  columns: Columns,
): Cell[] {
  if (isUp && key !== undefined) {
    return [
      cell(`key of ${key.holder}`, columns.holder, colourOf(key.holder)),
      ...bar(key.pttlMs / TTL_MS, columns.bar, colourOf(key.holder)),
      [`  ${seconds(key.pttlMs)}`],
    ];
  }
  const holder = cell(isUp ? "no key" : "", columns.holder, "dim");
  if (!isUp || quarantineMs === 0) return [holder];
  return [holder, ...bar(quarantineMs / MAX_TTL_MS, columns.bar, "yellow")];
}
