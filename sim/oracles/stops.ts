import type { History, ProcessEvent } from "./history.js";

/** When a process did not run, or its clocks were not what they had been. */
export interface Stop {
  readonly process: string;
  readonly kind: "pause" | "suspend" | "jump";
  readonly fromUs: number;
  /** Infinity if it never went on. */
  readonly toUs: number;
}

/** All stops of a history, in order of their beginnings. */
export function stopsOf({ events }: History): Stop[] {
  const stops: Stop[] = [];
  const open: { start: ProcessEvent; kind: Stop["kind"] }[] = [];
  const close = (process: string, kind: Stop["kind"], toUs: number): void => {
    const at = open.findIndex(({ start, kind: k }) => start.process === process && k === kind);
    const [found] = at === -1 ? [] : open.splice(at, 1);
    if (found) stops.push({ process, kind, fromUs: found.start.atUs, toUs });
  };
  for (const event of events) {
    if (event.kind !== "process") continue;
    const { process, what, atUs } = event;
    if (what === "pause" || what === "suspend") open.push({ start: event, kind: what });
    else if (what === "resume") close(process, "pause", atUs);
    else if (what === "wake") close(process, "suspend", atUs);
    else if (what === "jump") stops.push({ process, kind: "jump", fromUs: atUs, toUs: atUs });
  }
  for (const { start, kind } of open) {
    const { process, atUs } = start;
    stops.push({ process, kind, fromUs: atUs, toUs: Number.POSITIVE_INFINITY });
  }
  return stops.toSorted((a, b) => a.fromUs - b.fromUs);
}
