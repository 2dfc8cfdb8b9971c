import type { ProcessEvent } from "../../sim/oracles/history.js";
import type { ChaosRecord } from "../history/records.js";

interface Span {
  readonly fromUs: number;
  readonly toUs: number;
}

/**
 * When processes did not run: stopped by the nemesis, or starved by a busy machine, which they detect themselves.
 * Overlapping stops are merged.
 */
export function stopEvents(records: readonly ChaosRecord[]): ProcessEvent[] {
  return [...spansByProcess(records)].flatMap(([process, spans]) =>
    merge(spans).flatMap(({ fromUs, toUs }): ProcessEvent[] => {
      const pause: ProcessEvent = { kind: "process", atUs: fromUs, process, what: "pause" };
      if (toUs === Infinity) return [pause];
      return [pause, { kind: "process", atUs: toUs, process, what: "resume" }];
    }),
  );
}

function spansByProcess(records: readonly ChaosRecord[]): Map<string, Span[]> {
  const spans = new Map<string, Span[]>();
  const paused = new Map<string, number>();
  const add = (process: string, span: Span): void => {
    spans.set(process, [...(spans.get(process) ?? []), span]);
  };
  for (const record of records) {
    if (record.kind === "stall") {
      add(record.process, { fromUs: record.atUs, toUs: record.untilUs });
    } else if (record.kind === "process" && record.what === "pause") {
      paused.set(record.process, record.atUs);
    } else if (record.kind === "process" && record.what === "resume") {
      const fromUs = paused.get(record.process);
      if (fromUs !== undefined) add(record.process, { fromUs, toUs: record.atUs });
      paused.delete(record.process);
    }
  }
  for (const [process, fromUs] of paused) add(process, { fromUs, toUs: Infinity });
  return spans;
}

function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.fromUs - b.fromUs)) {
    const last = merged.at(-1);
    if (last === undefined || span.fromUs > last.toUs) merged.push(span);
    else merged[merged.length - 1] = { ...last, toUs: Math.max(last.toUs, span.toUs) };
  }
  return merged;
}
