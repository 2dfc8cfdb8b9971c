import type { Violation } from "../../sim/oracles/history.js";
import type { CampaignSettings } from "../settings.js";
import type { Figures } from "./figures.js";
import { SHARED_ORACLES, type Verdict } from "./verdict.js";

/** How many violations are listed; the report has all of them. */
const MOST_TOLD = 10;

/** The results of a campaign, for a terminal. */
export function summaryOf(settings: CampaignSettings, figures: Figures, verdict: Verdict): string {
  const { results, updateCount, lostUpdateCount: gone, ownLatencyMs: own } = figures;
  const lines = [
    `calls      ${figures.callCount} by ${figures.processCount} processes`,
    `acquire    ${list(results.acquire)}`,
    `extend     ${list(results.extend)}`,
    `release    ${list(results.release)}`,
    `lost       ${list(figures.lostByReason)}`,
    `updates    ${updateCount.unfenced} unfenced, ${updateCount.fenced} fenced, ${figures.rejectedCount} turned away, ${verdict.lateWriteCount} late`,
    `  of these  lost: ${gone.unfenced} unfenced, ${gone.fenced} fenced`,
    `faults     ${figures.faultCount}: ${list(figures.faultsByKind)}`,
    `available  ${availability(figures)}; ${ms(own.p50)} median, ${ms(own.p99)} p99, ${ms(own.max)} at most`,
    `takeover   ${ms(figures.smallestTakeoverMs)} at least from the end of a belief to the next grant`,
    ...told("expected", verdict.expected),
    ...told("VIOLATED", verdict.violations),
    `${verdict.violations.length} violations of ${SHARED_ORACLES.join(", ")}, R1 (seed ${settings.seed})`,
  ];
  return lines.join("\n");
}

function availability({ availability: share, ownCount }: Figures): string {
  const found = ownCount === 0 ? "not known" : `${(share * 100).toFixed(2)} %`;
  return `${found} of ${ownCount} acquires without rivals`;
}

function told(what: string, violations: readonly Violation[]): string[] {
  const lines = violations.slice(0, MOST_TOLD).map(({ id, atUs, message }) => {
    return `${what}   ${id} at ${(atUs / 1e6).toFixed(3)} s: ${message}`;
  });
  const more = violations.length - lines.length;
  return more === 0 ? lines : [...lines, `${what}   and ${more} more`];
}

function list(counts: Readonly<Record<string, number | undefined>>): string {
  const entries = Object.entries(counts).toSorted(([, a = 0], [, b = 0]) => b - a);
  return entries.map(([what, count]) => `${count} ${what}`).join(", ") || "none";
}

function ms(value: number): string {
  return Number.isFinite(value) ? `${value.toFixed(value < 10 ? 1 : 0)} ms` : "none";
}
