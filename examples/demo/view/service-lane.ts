import type { ServiceState } from "../messages.js";
import { nowMs } from "../now.js";
import type { ServiceProcess } from "../service-process.js";
import { TTL_MS } from "../settings.js";
import { bar } from "./bar.js";
import { cell, type Line, type Style } from "./cells.js";
import { colourOf, type Columns, seconds } from "./look.js";

const STYLE: Readonly<Record<ServiceState, Style>> = {
  starting: "dim",
  idle: "dim",
  waiting: "yellow",
  holding: "green",
  lost: "red",
};

/** `service A  holding  token 1763683200123456  #########....  1.3 s` */
export function serviceLane({ name, status }: ServiceProcess, columns: Columns): Line {
  const { state, token, validUntilMs } = status;
  const leftMs = validUntilMs === undefined ? 0 : Math.max(0, validUntilMs - nowMs());
  const tokenText = token === undefined ? "" : `${state === "holding" ? "token" : "last"} ${token}`;
  const start = [
    cell(` service ${name}`, columns.name, ["bold", colourOf(name)].flat() as Style),
    cell(state, columns.place + 2, STYLE[state]),
    cell(tokenText, columns.state + columns.holder - 2, state === "holding" ? "bold" : "dim"),
  ];
  if (state !== "holding") return start;
  return [...start, ...bar(leftMs / TTL_MS, columns.bar, colourOf(name)), [`  ${seconds(leftMs)}`]];
}
