import type { CampaignSettings } from "../settings.js";
import type { Figures } from "./figures.js";
import type { Verdict } from "./verdict.js";

/** Markdown header of the table of {@link rowOf}. */
export const TABLE_HEAD = [
  "| seed | minutes | clients | nodes | faults | operations | grants | lost | unavailable | updates lost: unfenced, fenced | violations |",
  "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
].join("\n");

/** The results of a campaign, as one row of a table. */
export function rowOf(settings: CampaignSettings, figures: Figures, verdict: Verdict): string {
  const { lostByReason, lostUpdateCount, ownCount, ownLatencyMs } = figures;
  const share = ((1 - figures.availability) * 100).toFixed(2);
  const unavailable = `${share} % of ${whole(ownCount)}; at most ${ownLatencyMs.max.toFixed(0)} ms`;
  const cells = [
    settings.seed,
    Number((settings.durationMs / 60_000).toFixed(2)),
    `${settings.clientCount} (${figures.processCount} processes)`,
    settings.nodeCount,
    `${whole(figures.faultCount)}: ${list(figures.faultsByKind)}`,
    whole(figures.callCount),
    whole(figures.results.acquire["granted"] ?? 0),
    list(lostByReason) || 0,
    ownCount === 0 ? "not known" : unavailable,
    `${lostUpdateCount.unfenced}, ${lostUpdateCount.fenced}`,
    list(idsOf(verdict)) || 0,
  ];
  return `| ${cells.join(" | ")} |`;
}

function idsOf({ violations }: Verdict): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { id } of violations) counts[id] = (counts[id] ?? 0) + 1;
  return counts;
}

function list(counts: Readonly<Record<string, number | undefined>>): string {
  const entries = Object.entries(counts).toSorted(([, a = 0], [, b = 0]) => b - a);
  return entries.map(([what, count]) => `${count} \`${what}\``).join(", ");
}

function whole(count: number): string {
  return count.toLocaleString("en");
}
